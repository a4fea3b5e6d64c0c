// A context as a picture: one bar, a part for each layer, as wide as its tokens are many.

import { h } from './dom.js';
import { number, plural } from './words.js';

/** What each layer is, in a person's words. */
export const LAYERS = {
  policy: 'How to behave',
  identity: 'Who the assistant is',
  profile: 'What is known of you',
  summaries: 'Summaries of what came before',
  memories: 'Recalled for this message',
  recent: 'The recent messages',
  quote: 'The message that is replied to',
  message: 'Your message',
};

/** The bar of what is inside the budget, and below it how much of the budget that is. Bars of one scale can be compared. */
export function layerBar({ layers, tokens, budget }, scale = tokens) {
  const inside = layers.filter((layer) => layer.name !== 'message' && layer.tokens > 0);
  const share = (part, of) => `${(part / Math.max(of, 1)) * 100}%`;
  const label = `${number(tokens)} of ${number(budget)} tokens: ${inside.map((layer) => `${layer.name} ${number(layer.tokens)}`).join(', ') || 'nothing'}`;
  return h(
    'div.layer-bar',
    { role: 'img', 'aria-label': label },
    h(
      'div.parts',
      null,
      inside.map((layer) =>
        h('span', {
          class: `layer-${layer.name}`,
          title: `${layer.name}: ${plural(layer.tokens, 'token')}`,
          style: { width: share(layer.tokens, scale) },
        }),
      ),
    ),
    h(
      'div.budget',
      { title: `${number(tokens)} of ${number(budget)} tokens` },
      h('span', { style: { width: share(Math.min(tokens, budget), budget) } }),
    ),
  );
}

/** Each layer with its pieces, why they are there, and what was dropped. `only` tells whether a piece is in this context and not in another one. */
export function layerList(layers, { only = () => false, open = new Set(), link = () => null } = {}) {
  return h(
    'ul.layers',
    null,
    layers.map((layer) => {
      const dropped = layer.dropped ?? [];
      const isEmpty = !layer.tokens && !layer.items.length && !dropped.length;
      const head = [
        h('span', { class: `swatch layer-${layer.name}`, 'aria-hidden': 'true' }),
        h('span.layer-name', null, layer.name, h('span.muted', null, LAYERS[layer.name])),
        h(
          'span.figure',
          null,
          number(layer.tokens),
          layer.name !== 'message' && h('span.muted', null, ` / ${number(layer.budget)}`),
        ),
      ];
      if (isEmpty) return h('li', null, h('div.layer-head.is-empty', null, head));
      return h(
        'li',
        null,
        h(
          'details',
          {
            open: open.has(layer.name),
            ontoggle: (event) => (event.target.open ? open.add(layer.name) : open.delete(layer.name)),
          },
          h('summary.layer-head', null, head),
          pieces(layer, dropped, only, link),
        ),
      );
    }),
  );
}

function pieces(layer, dropped, only, link) {
  return h(
    'div.pieces',
    null,
    layer.items.length > 0 &&
      h(
        'ul',
        null,
        layer.items.map((item) => piece(item, only(layer.name, item), link(item))),
      ),
    dropped.length > 0 &&
      h(
        'details.dropped',
        null,
        h('summary', null, `${plural(dropped.length, 'piece')} left out`),
        h(
          'ul',
          null,
          dropped.slice(0, 100).map((item) => piece(item, false, link(item))),
        ),
        dropped.length > 100 && h('p.muted', null, `… and ${number(dropped.length - 100)} more`),
      ),
    layer.text && h('details.text-of', null, h('summary', null, 'Text'), h('pre', { tabindex: '0' }, layer.text)),
  );
}

function piece(item, isOnlyHere, to) {
  return h(
    'li',
    { class: isOnlyHere ? 'only' : null },
    h('span.tag', null, item.kind),
    to ? h('a.why-text', { href: to }, item.why) : h('span.why-text', null, item.why),
    isOnlyHere && h('span.tag.accent', null, 'only here'),
    h('span.figure.muted', null, item.tokens ? number(item.tokens) : ''),
  );
}
