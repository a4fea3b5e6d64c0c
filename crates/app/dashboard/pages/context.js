// Context: exactly what the next turn would read, and why. Presets and budgets can be tried, two of them side by side.

import { post } from '../api.js';
import { chats as readChats, chosen, noChats, picker } from '../chat_picker.js';
import { failure, h, put, settled } from '../dom.js';
import { number } from '../words.js';
import { layerBar, layerList } from '../layers.js';
import { address, note } from '../place.js';

const PRESETS = [
  ['rolling', 'The last 20 messages, and small shares for the rest'],
  ['lane', 'As many of the newest messages as the budget holds'],
  ['standard', 'The live conversation word for word, then the last days, and what matches the message'],
  ['tiered', 'The live conversation, today, yesterday and the week, fuller the nearer'],
  ['pairs', 'The last 20 questions with their replies'],
  ['full', 'Everything, for models that read a lot'],
];
/** The budgets that the slider offers, in tokens. */
const BUDGETS = [
  250, 500, 750, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 24_000, 32_000, 48_000, 64_000, 100_000,
  150_000,
];

export async function show(root, params, signal) {
  const all = await readChats(signal);
  if (!all.length) return put(root, h('h1', null, 'Context'), noChats());
  const state = {
    chat: chosen(all, params),
    lane: params.get('lane'),
    message: params.get('message') ?? '',
    a: { preset: params.get('a'), budget: Number(params.get('a_budget')) || null },
    b: params.has('b') ? { preset: params.get('b'), budget: Number(params.get('b_budget')) || null } : null,
  };
  const columns = h('div.columns');
  const open = new Set(['memories']);
  let asked = 0;

  const remember = () =>
    note('context', {
      chat: state.chat,
      lane: state.lane,
      message: state.message,
      a: state.a.preset,
      a_budget: state.a.budget,
      b: state.b?.preset,
      b_budget: state.b?.budget,
    });

  const context = (setting) =>
    post(
      '/v1/context',
      {
        chat: state.chat,
        lane: state.lane ?? undefined,
        message: state.message || undefined,
        preset: setting.preset ?? undefined,
        budget: setting.budget ?? undefined,
      },
      signal,
    );

  const redraw = async () => {
    const mine = ++asked;
    remember();
    const settings = [state.a, state.b].filter(Boolean);
    const made = await Promise.all(settings.map((setting) => context(setting).catch((error) => error)));
    // A later change has asked already.
    if (mine !== asked || signal.aborted) return;
    const ids = made.map(
      (one) => new Set(one.layers?.flatMap((layer) => layer.items.map((item) => `${layer.name} ${item.id}`)) ?? []),
    );
    const scale = Math.max(...made.map((one) => one.tokens ?? 0));
    settings.forEach((setting, index) => {
      const one = made[index];
      if (one.layers) Object.assign(setting, { preset: one.preset, budget: one.budget });
      const only = (layer, item) =>
        settings.length > 1 && made.every((other) => other.layers) && !ids[1 - index].has(`${layer} ${item.id}`);
      cards[index].draw(one, only, scale);
    });
  };
  const later = settled(redraw);
  const soon = () => {
    // What is being asked for is of no use any more, and must not undo the change.
    asked += 1;
    later();
  };

  let cards = [];
  const arrange = () => {
    cards = [card('a', state.a, soon, open, state), state.b && card('b', state.b, soon, open, state)].filter(Boolean);
    columns.classList.toggle('two', cards.length > 1);
    put(
      columns,
      cards.map((one) => one.element),
    );
    compare.textContent = state.b ? 'Show one' : 'Compare two';
    return redraw();
  };
  const compare = h('button', {
    type: 'button',
    onclick: () => {
      state.b = state.b ? null : { ...state.a };
      arrange();
    },
  });

  put(
    root,
    h('h1', null, 'Context'),
    h('p.lead', null, 'Exactly what a model would read in the next turn, and why each piece is there.'),
    h(
      'form.controls',
      { onsubmit: (event) => event.preventDefault() },
      picker(all, state.chat, (chat) => {
        Object.assign(state, { chat, lane: null });
        redraw();
      }),
      h(
        'label.field.grow',
        null,
        h('span', null, 'The next message'),
        h('input', {
          type: 'text',
          value: state.message,
          placeholder: 'For example: when is my sister’s birthday?',
          oninput: (event) => {
            state.message = event.target.value;
            soon();
          },
        }),
      ),
      compare,
    ),
    columns,
  );
  await arrange();
}

/** One setting, and the context that it makes. */
function card(name, setting, changed, open, state) {
  const preset = Math.max(
    0,
    PRESETS.findIndex(([known]) => known === setting.preset),
  );
  const presetName = h('output');
  const presetHint = h('p.hint');
  const budgetText = h('output');
  const presets = slider(
    `Preset${state.b ? ` ${name.toUpperCase()}` : ''}`,
    PRESETS.length - 1,
    preset,
    presetName,
    (index) => {
      // A preset has a budget of its own.
      Object.assign(setting, { preset: PRESETS[index][0], budget: null });
      changed();
      return PRESETS[index][0];
    },
  );
  const budgets = slider(
    `Budget${state.b ? ` ${name.toUpperCase()}` : ''}`,
    BUDGETS.length - 1,
    nearest(setting.budget ?? 4000),
    budgetText,
    (index) => {
      setting.budget = BUDGETS[index];
      changed();
      return `${number(BUDGETS[index])} tokens`;
    },
  );
  const result = h('div.result', { 'aria-live': 'off' });

  const draw = (made, only, scale) => {
    if (!made.layers) return put(result, failure(made));
    const at = PRESETS.findIndex(([known]) => known === made.preset);
    presets.input.value = at;
    presets.say(made.preset);
    presetHint.textContent = PRESETS[at]?.[1] ?? '';
    budgets.input.value = nearest(made.budget);
    budgets.say(`${number(made.budget)} tokens`);
    const message = made.layers.find((layer) => layer.name === 'message');
    put(
      result,
      h(
        'p.total',
        null,
        h('strong', null, number(made.tokens)),
        ` of ${number(made.budget)} tokens`,
        message?.tokens ? h('span.muted', null, ` + ${number(message.tokens)} for the message`) : null,
        h('span.tag', null, made.thread === 'new' ? 'new conversation' : 'continues a conversation'),
      ),
      layerBar(made, scale),
      layerList(made.layers, {
        only,
        open,
        link: (item) => item.kind === 'message' && address('chats', { chat: made.chat, at: item.id }),
      }),
      h(
        'details.prompt',
        null,
        h('summary', null, 'The whole prompt'),
        h('pre', { tabindex: '0' }, made.text ?? JSON.stringify(made.messages, null, 2)),
      ),
    );
  };

  const element = h(
    'section.card',
    { 'aria-label': state.b ? `Setting ${name.toUpperCase()}` : 'Setting' },
    h('div.sliders', null, presets.element, budgets.element),
    presetHint,
    result,
  );
  return { element, draw };
}

/** A slider with words for its value. */
function slider(label, max, value, output, moved) {
  const input = h('input', { type: 'range', min: 0, max, step: 1, value, 'aria-label': label });
  const say = (words) => {
    output.textContent = words;
    input.setAttribute('aria-valuetext', words);
  };
  input.addEventListener('input', () => say(moved(Number(input.value))));
  return { input, say, element: h('div.slider', null, h('span', { 'aria-hidden': 'true' }, label), output, input) };
}

/** The place of the budget in the list that is nearest to this one. */
function nearest(budget) {
  const distance = (index) => Math.abs(Math.log(BUDGETS[index] / budget));
  return BUDGETS.reduce((best, _, index) => (distance(index) < distance(best) ? index : best), 0);
}
