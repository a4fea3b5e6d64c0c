// The choice of a chat, which several pages begin with. The chat that was chosen last is offered first.

import { get } from './api.js';
import { empty, h } from './dom.js';
import { chatParts } from './words.js';

const KEY = 'throughline.chat';

/** The chats, the most recent first. */
export async function chats(signal) {
  return (await get('/v1/chats', null, signal)).chats;
}

/** The chat of a page: the one in its address, else the last choice, else the most recent. */
export function chosen(all, params) {
  const known = (id) => all.find((chat) => chat.chat === id)?.chat;
  return params.get('chat') ?? known(localStorage.getItem(KEY)) ?? all[0]?.chat;
}

/** Remembers a choice. */
export function choose(chat) {
  localStorage.setItem(KEY, chat);
}

/** A list of chats to choose from. `others` are choices before the chats, such as all of them. */
export function picker(all, chat, change, others = []) {
  const option = (value, text) => h('option', { value, selected: value === chat }, text);
  const known = all.some((entry) => entry.chat === chat) || others.some(([value]) => value === chat);
  return h(
    'label.field',
    null,
    h('span', null, 'Chat'),
    h(
      'select',
      {
        onchange: (event) => {
          if (event.target.value) choose(event.target.value);
          change(event.target.value);
        },
      },
      others.map(([value, text]) => option(value, text)),
      !known && chat && option(chat, chat),
      all.map((entry) => option(entry.chat, `${chatParts(entry.chat).name} (${chatParts(entry.chat).channel})`)),
    ),
  );
}

/** What a page shows if there is no chat yet. */
export function noChats() {
  return empty(
    'Nothing was said yet.',
    h(
      'p',
      null,
      'Write the first message in ',
      h('a', { href: '#/chats' }, 'Chats'),
      ', or bring in what you have with ',
      h('a', { href: '#/import' }, 'Import'),
      '.',
    ),
  );
}
