// Shows a reply, which is Markdown, as elements and text nodes; HTML in it is text like any other. Each level of nesting is
// read in one pass, so that no text can hold up the page.

import { h } from './dom.js';

/** Quotes, lists and emphasis inside one another; what lies deeper is shown as it was written. */
const DEEPEST = 8;
/** Characters of a reply; a longer one is shown as it was written. */
const LONGEST = 50_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])( +)(?=\S)/;
const DELIMITERS = /^\|?(?: *:?-+:? *\|)+(?: *:?-+:?)?$/;

/** The elements of a Markdown text. */
export function markdown(text) {
  if (text.length > LONGEST) return [h('p', null, text)];
  return blocks(text.replaceAll('\r\n', '\n').split('\n'), 0);
}

function blocks(lines, depth) {
  const found = [];
  let at = 0;
  while (at < lines.length) {
    const [element, next] = block(lines, at, depth);
    if (element) found.push(element);
    at = next;
  }
  return found;
}

/** The block that begins with a line, and where the next one begins. */
function block(lines, at, depth) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  const fence = FENCE.exec(line);
  if (fence) return code(lines, at, fence);
  const heading = HEADING.exec(line);
  // All stand below the heading of the chat, whatever the reply calls them.
  if (heading) return [h(`h3.level-${heading[1].length}`, null, inline(heading[2], depth)), at + 1];
  if (RULE.test(line)) return [h('hr'), at + 1];
  if (depth < DEEPEST && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < DEEPEST && ITEM.test(line)) return list(lines, at, depth);
  if (isTable(lines, at)) return table(lines, at, depth);
  let end = at + 1;
  while (end < lines.length && !begins(lines, end, depth)) end += 1;
  return [h('p', null, inline(lines.slice(at, end).join('\n'), depth)), end];
}

/** Whether a line ends the paragraph before it. */
function begins(lines, at, depth) {
  const line = lines[at];
  const isBlock = [FENCE, HEADING, RULE].some((pattern) => pattern.test(line));
  return !line.trim() || isBlock || (depth < DEEPEST && (QUOTE.test(line) || ITEM.test(line))) || isTable(lines, at);
}

/** A block of code; one that is not closed lasts to the end, as while it is being written. */
function code(lines, at, [opening, mark]) {
  const indent = opening.indexOf(mark);
  const closes = (line) => line.trim().startsWith(mark) && !line.trim().replaceAll(mark[0], '');
  let end = at + 1;
  while (end < lines.length && !closes(lines[end])) end += 1;
  const written = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, line.search(/\S|$/))));
  return [h('pre', null, h('code', null, written.join('\n'))), end + 1];
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const quoted = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return [h('blockquote', null, blocks(quoted, depth + 1)), end];
}

function list(lines, at, depth) {
  const [, , first] = ITEM.exec(lines[at]);
  const isNumbered = first.length > 1;
  const items = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (!item || item[2].length > 1 !== isNumbered || RULE.test(lines[end])) break;
    const [own, next] = itemLines(lines, end, item);
    items.push(h('li', null, blocks(own, depth + 1)));
    end = next;
  }
  return [h(isNumbered ? 'ol' : 'ul', { start: isNumbered ? parseInt(first, 10) : null }, items), end];
}

/** The lines of an item without their indent: what stands further in than its mark, and what continues its paragraph. */
function itemLines(lines, at, [marker, before]) {
  const own = [lines[at].slice(marker.length)];
  let end = at + 1;
  let last = end;
  while (end < lines.length) {
    const line = lines[end];
    const indent = line.search(/\S/);
    const isInside = indent > before.length || (indent >= 0 && last === end && !begins(lines, end, 0));
    if (indent >= 0 && !isInside) break;
    own.push(line.slice(Math.min(marker.length, Math.max(indent, 0))));
    end += 1;
    if (indent >= 0) last = end;
  }
  // Blank lines at its end are between it and what follows.
  return [own.slice(0, last - at), last === end ? end : skipBlank(lines, last)];
}

function skipBlank(lines, at) {
  while (at < lines.length && !lines[at].trim()) at += 1;
  return at;
}

function isTable(lines, at) {
  return lines[at].includes('|') && DELIMITERS.test((lines[at + 1] ?? '').trim());
}

function table(lines, at, depth) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/);
  const cell = (text, tag) => h(text ? tag : 'td', null, inline(text, depth));
  const row = (line, tag) => h('tr', null, cells(line).map((text) => cell(text.replaceAll('\\|', '|').trim(), tag)));
  let end = at + 2;
  while (end < lines.length && lines[end].includes('|')) end += 1;
  const rows = lines.slice(at + 2, end).map((line) => row(line, 'td'));
  const whole = h('table', null, h('thead', null, row(lines[at], 'th')), h('tbody', null, rows));
  return [h('div.table', { tabindex: '0' }, whole), end];
}

const ESCAPED = /\\([!-/:-@[-`{-~])/y;
const CODE = /(`{1,3})(?!`)/y;
const LINK = /!?\[([^[\]]*)\]\(<?([^\s()<>[]{0,2000}(?:\([^\s()<>[]{0,500}\)[^\s()<>[]{0,500})?)>?(?:\s"[^"\n]{0,500}")?\)/y;
const ADDRESS = /<?(https?:\/\/[^\s<>"'`\])}]{1,2000})>?/iy;
const EMPHASIS = /(\*\*|__|~~|\*|_)(?=\S)/y;
const TAGS = { '**': 'strong', __: 'strong', '~~': 's', '*': 'em', _: 'em' };
const WORD = /[\p{L}\p{N}]/u;

/** The text and elements of a line or paragraph. */
function inline(text, depth, inLink = false) {
  // Marks that nothing closes from here on are looked for once.
  const within = { text, depth, inLink, unclosed: new Set() };
  const found = [];
  let plain = 0;
  let at = 0;
  while (at < text.length) {
    const read = depth < DEEPEST && special(within, at);
    if (read) {
      found.push(text.slice(plain, at), read[0]);
      plain = read[1];
    }
    at = read ? plain : at + 1;
  }
  return [...found, text.slice(plain)];
}

/** What a mark at a place stands for, and where that ends; nothing if it is only a character. */
function special(within, at) {
  const { text, depth, inLink } = within;
  const match = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  switch (text[at]) {
    case '\\': {
      const escaped = match(ESCAPED);
      return escaped && [escaped[1], at + 2];
    }
    case '`':
      return codeSpan(within, at, match(CODE)?.[1]);
    case '!':
    case '[': {
      const [whole, label, address] = (!inLink && match(LINK)) || [];
      return whole && linked(inline(label || address, depth + 1, true), address, at + whole.length);
    }
    case '<':
    case 'h':
    case 'H': {
      const [whole, address] = (!inLink && !WORD.test(text[at - 1] ?? '') && match(ADDRESS)) || [];
      if (!whole) return null;
      const bare = address.replace(/[.,:;!?*_~]{1,20}$/, '');
      return whole.startsWith('<') ? linked(address, address, at + whole.length) : linked(bare, bare, at + bare.length);
    }
    case '*':
    case '_':
    case '~':
      return emphasis(within, at, match(EMPHASIS)?.[1]);
    default:
      return null;
  }
}

function codeSpan({ text, unclosed }, at, mark) {
  if (!mark || unclosed.has(mark)) return null;
  const from = at + mark.length;
  for (let end = text.indexOf(mark, from); end >= 0; end = text.indexOf(mark, end)) {
    const begin = end;
    while (text[end] === '`') end += 1;
    if (end - begin === mark.length) return [h('code', null, text.slice(from, begin).trim()), end];
  }
  unclosed.add(mark);
  return null;
}

/** A link that leaves the page. An address of another kind is no link. */
function linked(label, address, end) {
  if (!/^https?:\/\//i.test(address)) return null;
  return [h('a', { href: address, title: address, target: '_blank', rel: 'noopener noreferrer' }, label), end];
}

function emphasis({ text, depth, inLink, unclosed }, at, mark) {
  const isWord = (place) => WORD.test(text[place] ?? '');
  // A name such as long_name_of is no emphasis.
  if (!mark || unclosed.has(mark) || (mark[0] === '_' && isWord(at - 1))) return null;
  const from = at + mark.length;
  for (let end = text.indexOf(mark, from + 1); end >= 0; end = text.indexOf(mark, end + 1)) {
    const isPartOfDouble = mark.length === 1 && (text[end + 1] === mark || text[end - 1] === mark);
    if (isPartOfDouble || /[\s\\]/.test(text[end - 1]) || (mark[0] === '_' && isWord(end + mark.length))) continue;
    // In **a *b*** the longer mark comes last.
    const close = mark.length === 2 && text[end + 2] === mark[0] ? end + 1 : end;
    return [h(TAGS[mark], null, inline(text.slice(from, close), depth + 1, inLink)), close + mark.length];
  }
  unclosed.add(mark);
  return null;
}
