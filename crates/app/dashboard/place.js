// Where the person is: the page and its parameters are in the part of the address behind the #.

export const PAGES = {
  chats: 'Chats',
  context: 'Context',
  memory: 'Memory',
  search: 'Search',
  turns: 'Turns',
  routines: 'Routines',
  usage: 'Usage',
  import: 'Import',
  health: 'Health',
};

/** The page and parameters that the address names: `#/memory?chat=cli:chat:main`. */
export function place() {
  const [path, params] = location.hash.replace(/^#\/?/, '').split('?');
  return { page: path in PAGES ? path : 'chats', params: new URLSearchParams(params) };
}

/** The address of a page. */
export function address(page, params = {}) {
  const set = Object.entries(params).filter(
    ([, value]) => value !== undefined && value !== null && value !== '' && value !== false,
  );
  return `#/${page}${set.length ? `?${new URLSearchParams(set)}` : ''}`;
}

/** Notes the state of a page in its address, without showing the page again. */
export function note(page, params) {
  history.replaceState(null, '', address(page, params));
}
