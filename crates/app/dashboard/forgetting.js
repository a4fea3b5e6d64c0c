// Forgetting: what would be forgotten is shown first, and for a day it can be taken back.

import { post } from './api.js';
import { confirm, notice, told } from './dialogs.js';
import { h } from './dom.js';
import { plural } from './words.js';

/** Matches that a question lists; it counts the others. */
const LISTED = 50;

/** Forgets a memory or topic of the page's chat, if the person agrees to what that would take. */
export async function forget(what, page) {
  const { chat } = page;
  try {
    const { matches } = await post('/v1/forget', { chat, ...what, dry_run: true });
    const certain = matches.filter((match) => match.certain);
    const others = matches.filter((match) => !match.certain);
    if (!(certain.length ? await agrees(certain, others) : await explains(others))) return;
    const done = await post('/v1/forget', { chat, ...what });
    const undo = {
      label: 'Undo',
      run: () =>
        page.act(async () => {
          await post('/v1/forget', { chat, undo: done.receipt });
          return 'It is back.';
        }),
    };
    notice(`${plural(done.forgotten, 'thing')} forgotten.`, done.undo_until ? undo : undefined);
    await page.refresh();
  } catch (error) {
    told(error);
  }
}

function agrees(certain, others) {
  const said = 'The memories go, and the sentences that prove them become “[forgotten]” in every message of the chat.';
  const near = others.length > 0 && [h('p', null, 'This comes near, and stays:'), list(others)];
  return confirm('Forget this?', [h('p', null, said), list(certain), near], 'Forget', 'danger');
}

function explains(others) {
  const near = others.length > 0 && [
    h('p', null, 'This comes near. Name it by its own words to forget it:'),
    list(others),
  ];
  return confirm('Nothing to forget', [h('p', null, 'Nothing contains all of these words.'), near]);
}

function list(matches) {
  const row = (match) => h('li', null, h('span.tag', null, match.match), h('span', null, match.text));
  const more = matches.length - LISTED;
  return h(
    'ul.matches',
    null,
    matches.slice(0, LISTED).map(row),
    more > 0 && h('li.muted', null, `… and ${more} more`),
  );
}
