// Import: drop a file, watch it go in, read the report.

import { eventReader, refusal } from '../api.js';
import { notice } from '../dialogs.js';
import { h, put } from '../dom.js';
import { bytes, number, plural } from '../words.js';

const FORMATS = ['auto', 'jsonl', 'messages', 'claude-code', 'chatgpt', 'claude', 'telegram', 'whatsapp', 'mem0'];

export async function show(root, params, signal) {
  const work = h('div.work', { 'aria-live': 'polite' });
  const input = h('input', { type: 'file', id: 'file', multiple: true, onchange: () => start(input.files) });
  const format = h(
    'select',
    null,
    FORMATS.map((name) => h('option', { value: name }, name === 'auto' ? 'Recognized by its content' : name)),
  );
  const me = h('input', { type: 'text', placeholder: 'As it stands in the file', autocomplete: 'off' });
  const learn = h('input', { type: 'checkbox' });
  const drop = h(
    'label.drop',
    {
      for: 'file',
      ondragover: (event) => {
        event.preventDefault();
        drop.classList.add('over');
      },
      ondragleave: () => drop.classList.remove('over'),
      ondrop: (event) => {
        event.preventDefault();
        drop.classList.remove('over');
        start(event.dataTransfer.files);
      },
    },
    h('strong', null, 'Drop a file here, or choose one'),
    h(
      'span.muted',
      null,
      'Exports of ChatGPT, Claude, Telegram, WhatsApp and mem0, transcripts of Claude Code, JSON Lines; zip files too',
    ),
    input,
  );

  let busy = false;
  const start = async (files) => {
    if (busy || !files.length) return;
    busy = true;
    input.disabled = true;
    for (const file of files) await bringIn(file);
    input.disabled = false;
    input.value = '';
    busy = false;
  };

  const bringIn = async (file) => {
    const bar = h('progress', { max: 100, value: 0, 'aria-label': `Import of ${file.name}` });
    const said = h('p.muted.small', null, 'Sending…');
    const card = h(
      'section.card',
      { 'aria-label': file.name },
      h('h2', null, file.name, h('span.muted.small', null, bytes(file.size))),
      bar,
      said,
    );
    work.prepend(card);
    try {
      const settings = { name: file.name, format: format.value, me: me.value.trim(), learn: learn.checked };
      const done = await upload(file, settings, signal, (words, share) => {
        said.textContent = words;
        bar.value = share * 100;
      });
      bar.remove();
      said.remove();
      card.append(report(done));
    } catch (error) {
      bar.remove();
      put(said, error.message).className = 'failure';
      said.setAttribute('role', 'alert');
    }
  };

  put(
    root,
    h('h1', null, 'Import'),
    h('p.lead', null, 'Bring in what you have. A file that is imported again changes nothing.'),
    drop,
    h(
      'form.controls',
      { onsubmit: (event) => event.preventDefault() },
      h('label.field', null, h('span', null, 'Format'), format),
      h('label.field', null, h('span', null, 'Your name in it'), me),
      h('label.check', null, learn, 'Learn memories from it'),
    ),
    work,
  );
}

/** Sends a file, and follows its import. The first half of the bar is the way here, the second the way into the store. */
function upload(file, settings, signal, tell) {
  return new Promise((resolve, reject) => {
    // Only this way of asking tells how much was sent.
    const request = new XMLHttpRequest();
    const events = eventReader();
    let read = 0;
    let report;
    const set = Object.entries(settings).filter(([, value]) => value !== '' && value !== false);
    request.open('POST', `/v1/import?${new URLSearchParams(set)}`);
    request.setRequestHeader('accept', 'text/event-stream');
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.onprogress = (event) =>
      tell(`Sending: ${bytes(event.loaded)} of ${bytes(event.total)}`, event.loaded / event.total / 2);
    request.onprogress = () => {
      if (request.status !== 200) return;
      const text = request.responseText;
      for (const { event, data } of events(text.slice(read))) {
        if (event === 'progress')
          tell(
            `${plural(data.imported + data.skipped, 'message')} read`,
            0.5 + Math.min(1, data.bytes / Math.max(data.total, 1)) / 2,
          );
        if (event === 'done') report = data;
        if (event === 'error') reject(new Error(data.error.message));
      }
      read = text.length;
    };
    request.onload = () => {
      if (request.status !== 200) reject(refusal(request.status, request.responseText));
      else if (report) resolve(report);
      else reject(new Error('The answer broke off. Import the file again: what is in already is skipped.'));
    };
    request.onerror = () => reject(new Error('The program does not answer. Is `throughline serve` running?'));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function report(done) {
  return h(
    'div.report',
    null,
    h(
      'p',
      null,
      h('strong', null, plural(done.imported, 'message')),
      ' imported, ',
      number(done.skipped),
      ' already there, in ',
      plural(done.chats, 'chat'),
      '.',
    ),
    done.note && h('p.muted', null, done.note),
    done.failed > 0 &&
      h(
        'details',
        { open: done.failed < 10 },
        h('summary', null, `${plural(done.failed, 'line')} could not be read`),
        h(
          'ul.errors',
          null,
          done.errors.slice(0, 200).map((error) => h('li', null, h('span.tag', null, `line ${error.line}`), error.why)),
        ),
      ),
  );
}
