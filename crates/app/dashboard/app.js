// The frame: which page is shown, and the way between pages. Each page is a module of its own, loaded when it is opened.

import { empty, failure, h, put } from './dom.js';
import { icon } from './icons.js';
import { PAGES, address, place } from './place.js';

/** Pages with a place of their own in the bar of a phone; the others are behind "More". */
const ON_A_PHONE = 4;

const main = document.getElementById('main');
const nav = document.getElementById('nav');
let leaving = new AbortController();

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const { page, params } = place();
  document.title = `${PAGES[page]} · Throughline`;
  for (const link of nav.querySelectorAll('a')) {
    if (link.dataset.page === page) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  nav.querySelector('details').open = false;
  const heading = h(page === 'chats' ? 'h1.hidden' : 'h1', null, PAGES[page]);
  const root = h(`div.page.page-${page}`, null, heading);
  put(main, root).setAttribute('aria-busy', 'true');
  try {
    const module = await import(`./pages/${page}.js`);
    if (signal.aborted) return;
    await module.show(root, params, signal);
  } catch (error) {
    if (error.name === 'AbortError' || signal.aborted || error.status === 401) return;
    put(root, heading, failure(error));
  } finally {
    if (!signal.aborted) main.removeAttribute('aria-busy');
  }
}

function signedOut() {
  leaving.abort();
  main.removeAttribute('aria-busy');
  document.title = 'Sign in · Throughline';
  put(
    main,
    h(
      'div.page.sign-in',
      null,
      h('h1', null, 'Sign in'),
      empty(
        'This page is for the owner of the home.',
        h(
          'p',
          null,
          'Run ',
          h('code', null, 'throughline open'),
          ' on the machine that serves it, and open the link that it prints. The link works once.',
        ),
      ),
    ),
  );
}

function link(page) {
  return h('a', { href: address(page), 'data-page': page }, icon(page), h('span', null, PAGES[page]));
}

function navigation() {
  const pages = Object.keys(PAGES);
  const rest = pages.slice(ON_A_PHONE);
  return h(
    'ul',
    null,
    pages.slice(0, ON_A_PHONE).map((page) => h('li', null, link(page))),
    rest.map((page) => h('li.rest', null, link(page))),
    h(
      'li.more',
      null,
      h(
        'details',
        null,
        h('summary', null, icon('more'), h('span', null, 'More')),
        h(
          'ul',
          null,
          rest.map((page) => h('li', null, link(page))),
        ),
      ),
    ),
  );
}

put(nav, navigation());
document.querySelector('.skip').addEventListener('click', (event) => {
  // The part behind the # names the page.
  event.preventDefault();
  main.focus();
});
window.addEventListener('signed-out', signedOut);
window.addEventListener('hashchange', () => show().then(() => main.focus({ preventScroll: true })));
show();
