//! Keeps derived data up to date with its rule: conversations with the gap, the index with the tokenizer.

use throughline_text::words;

use crate::index::words::rebuild;
use crate::tx::Tx;
use crate::{Result, Store, conversations};

impl Store {
    /// Recomputes data that was derived by an older rule.
    pub(crate) async fn refresh_derived(&self) -> Result<()> {
        let gap = self.gap;
        let rules = [("gap", gap.as_micros().to_string()), ("words", words::VERSION.to_string())];
        let [gap_rule, words_rule] = rules.clone();
        let is_current = move |tx: &Tx<'_>| {
            Ok(tx.setting(gap_rule.0)?.as_deref() == Some(&*gap_rule.1)
                && tx.setting(words_rule.0)?.as_deref() == Some(&*words_rule.1))
        };
        // Read first, so that a read-only store can still be opened.
        if self.read(is_current).await? {
            return Ok(());
        }
        self.write(move |tx| {
            for (name, rule) in &rules {
                let before = tx.setting(name)?;
                if before.is_some_and(|before| before != *rule) {
                    match *name {
                        "gap" => conversations::recompute(tx, gap)?,
                        _ => rebuild(tx)?,
                    }
                }
                tx.put_setting(name, rule)?;
            }
            Ok(())
        })
        .await
    }
}
