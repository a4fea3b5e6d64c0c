// Times, numbers and names as people say them.

import { h } from './dom.js';

const DAY = 86_400_000;
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' });
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const longDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** A day as people say it: "Today", "Yesterday", "Tuesday", "3 May", "3 May 2024". */
export function dayName(at) {
  const date = new Date(at);
  const now = new Date();
  const days = Math.round((midnight(now) - midnight(date)) / DAY);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days > 1 && days < 7) return weekday.format(date);
  return (date.getFullYear() === now.getFullYear() ? shortDay : longDay).format(date);
}

/** A moment as people say it, with the exact time as its title. */
export function moment(at, style = 'both') {
  if (!at) return '';
  const date = new Date(at);
  const time = clock.format(date);
  const text =
    style === 'time'
      ? time
      : style === 'day'
        ? dayName(at)
        : dayName(at) === 'Today'
          ? time
          : `${dayName(at)}, ${time}`;
  return h('time', { datetime: date.toISOString(), title: whole.format(date) }, text);
}

/** How far a moment lies ahead: "in 3 hours". */
export function ahead(at) {
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
  const minutes = Math.round((new Date(at) - Date.now()) / 60_000);
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
  if (Math.abs(minutes) < 48 * 60) return relative.format(Math.round(minutes / 60), 'hour');
  return relative.format(Math.round(minutes / 1440), 'day');
}

export const number = (value) => new Intl.NumberFormat().format(value);
export const shortNumber = (value) =>
  new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
export const percent = (share) => `${Math.round(share * 100)} %`;
export const milliseconds = (ms) =>
  ms >= 10_000
    ? `${(ms / 1000).toFixed(0)} s`
    : ms >= 1000
      ? `${(ms / 1000).toFixed(1)} s`
      : `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
export const dollars = (usd) =>
  usd === null || usd === undefined ? '–' : usd === 0 ? '$0' : usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
export const bytes = (size) =>
  size < 1e6
    ? `${(size / 1e3).toFixed(0)} KB`
    : size < 1e9
      ? `${(size / 1e6).toFixed(1)} MB`
      : `${(size / 1e9).toFixed(1)} GB`;
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** The parts of a chat's id, `channel:chat:name`. */
export function chatParts(id) {
  const [channel, , ...name] = id.split(':');
  return { channel, name: name.join(':') || id };
}

/** A chat's name and channel. */
export function chatLabel(id) {
  const { channel, name } = chatParts(id);
  return h('span.chat-label', { title: id }, h('span.chat-name', null, name), h('span.tag', null, channel));
}

/** Text with the words of a query marked. */
export function marked(text, query) {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
    .map((word) => word.replace(/(ies|es|s|ed|ing)$/, ''))
    .filter((word) => word.length > 2);
  if (!words.length) return [text];
  // The words are letters and digits only, so that they mean nothing else in an expression.
  const pattern = new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.join('|')})[\\p{L}\\p{N}]*)`, 'giu');
  return text.split(pattern).map((part, index) => (index % 2 ? h('mark', null, part) : part));
}
