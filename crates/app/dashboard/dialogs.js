// Notes at the edge of the page, and questions that wait for an answer.

import { h } from './dom.js';

/** A note at the edge of the page for some seconds; with an action it stays until it is used or closed. */
export function notice(text, action) {
  const close = () => note.remove();
  const note = h(
    'div.notice',
    null,
    h('p', null, text),
    action &&
      h(
        'button.link',
        {
          type: 'button',
          onclick: () => {
            close();
            action.run();
          },
        },
        action.label,
      ),
    h('button.icon', { type: 'button', 'aria-label': 'Close', onclick: close }, '×'),
  );
  const place = document.getElementById('notices');
  while (place.children.length > 2) place.firstChild.remove();
  place.append(note);
  if (!action) setTimeout(close, 6000);
  return close;
}

/** Tells of a failure, unless it is that the page was left. */
export function told(error) {
  if (error.name !== 'AbortError') notice(error.message);
}

/** Asks for a line of text; gives it, or nothing. */
export async function ask(title, label, action) {
  const input = h('input', { type: 'text', required: true, autofocus: true, autocomplete: 'off' });
  const agreed = await confirm(title, h('label.field', null, h('span', null, label), input), action);
  return agreed ? input.value.trim() : '';
}

/** Asks in a dialog; gives whether the person agreed. */
export function confirm(title, content, label, kind = 'primary') {
  return new Promise((resolve) => {
    const dialog = h(
      'dialog',
      { 'aria-labelledby': 'dialog-title' },
      h(
        'form',
        { method: 'dialog' },
        h('h2', { id: 'dialog-title' }, title),
        h('div.dialog-body', { tabindex: '0', role: 'group', 'aria-label': title }, content),
        h(
          'div.buttons',
          null,
          h('button', { value: 'no', formnovalidate: true }, label ? 'Cancel' : 'Close'),
          label && h(`button.${kind}`, { value: 'yes' }, label),
        ),
      ),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
