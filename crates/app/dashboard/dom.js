// Builds what is on the page. Text becomes text nodes only, so nothing that was stored can become markup.

const SVG = 'http://www.w3.org/2000/svg';

/** An element: `h('li.message', { title: 'x', onclick: f }, 'text', otherElement)`. */
export function h(name, props, ...children) {
  const [tag, ...classes] = name.split('.');
  return fill(document.createElement(tag), classes, props, children);
}

/** An element of a drawing. */
export function svg(name, props, ...children) {
  const [tag, ...classes] = name.split('.');
  return fill(document.createElementNS(SVG, tag), classes, props, children);
}

function fill(element, classes, props, children) {
  if (classes.length) element.classList.add(...classes);
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'style') Object.entries(value).forEach(([name, set]) => element.style.setProperty(name, set));
    else if (key === 'value' && 'value' in element) element.value = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Replaces everything in an element. */
export function put(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** What a page shows while it has nothing to show, and what to do about it. */
export function empty(title, ...more) {
  return h(
    'div.empty',
    null,
    h('p.empty-title', null, title),
    more.map((text) => (typeof text === 'string' ? h('p', null, text) : text)),
  );
}

/** A failure in words. */
export function failure(error) {
  return h('div.failure', { role: 'alert' }, h('p', null, error.message));
}

/** Calls a function once it was not called for a while. */
export function settled(run, ms = 150) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...args), ms);
  };
}
