//! Pagination of lists.

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use crate::http::error::ApiError;
use crate::http::extract::Params;

/// The page of a list to read.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// The `next_cursor` of an earlier answer.
    cursor: Option<String>,
    /// Maximum number of entries; 50 unless given.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

impl Page {
    /// The last entry of the previous page, and the number of entries to read.
    pub fn position<T: std::str::FromStr>(&self) -> Result<(Option<T>, usize), ApiError> {
        let unknown =
            |_| ApiError::invalid("cursor: take it as it is from `next_cursor` of an earlier answer");
        let before = self.cursor.as_deref().map(str::parse).transpose().map_err(unknown)?;
        Ok((before, page_size(self.limit)))
    }

    /// The cursor of the next page: the id of the last entry, if this page is full.
    pub fn next<E, T: std::fmt::Display>(&self, entries: &[E], id: impl Fn(&E) -> T) -> Option<String> {
        entries.last().filter(|_| entries.len() == page_size(self.limit)).map(|last| id(last).to_string())
    }
}

/// The number of entries of a page: 50 unless given, and at most 1000.
pub fn page_size(limit: Option<u16>) -> usize {
    usize::from(limit.unwrap_or(50).clamp(1, 1000))
}

/// Query parameters `T` together with those of a page.
pub struct Paged<T>(pub T, pub Page);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Paged<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // Each type refuses unknown parameters, so the query is split between them.
        let pairs = parts.uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let is_page = |pair: &&str| ["cursor", "limit"].contains(&pair.split('=').next().unwrap_or_default());
        let (page, chosen): (Vec<_>, Vec<_>) = pairs.partition(is_page);
        Ok(Self(read(&chosen)?, read(&page)?))
    }
}

fn read<T: DeserializeOwned>(pairs: &[&str]) -> Result<T, ApiError> {
    let query = format!("/?{}", pairs.join("&"));
    let uri: Uri = query.parse().map_err(|error| ApiError::invalid(format!("{error}")))?;
    Params::from_uri(&uri).map(|Params(read)| read)
}
