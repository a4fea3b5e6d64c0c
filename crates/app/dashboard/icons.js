// The icons, as strokes on a grid of 24.

import { svg } from './dom.js';

const STROKES = {
  chats: 'M4 5h16v11H9l-5 4z',
  context: 'M4 6h16M4 11h16M4 16h10M4 21h6',
  memory: 'M6 3h12v18l-6-4-6 4z',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21',
  turns: 'M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5',
  routines: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  usage: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
  import: 'M12 3v12M7 10l5 5 5-5M4 20h16',
  health: 'M3 12h4l3-8 4 16 3-8h4',
  more: 'M4.5 12h1M11.5 12h1M18.5 12h1',
  send: 'M4 12 20 4l-5 16-3-7z',
  stop: 'M7 7h10v10H7z',
  back: 'M15 5l-7 7 7 7',
  down: 'M12 5v14M6 13l6 6 6-6',
};

/** An icon beside words that say the same. */
export function icon(name) {
  return svg(
    'svg.glyph',
    { viewBox: '0 0 24 24', width: '20', height: '20', 'aria-hidden': 'true' },
    svg('path', { d: STROKES[name] }),
  );
}
