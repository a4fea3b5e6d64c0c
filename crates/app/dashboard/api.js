// Requests to the program that serves this page, and to nothing else.

/** A request that was answered with a failure, in the program's own words. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

const query = (path, params) => {
  const set = Object.entries(params ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return set.length ? `${path}?${new URLSearchParams(set)}` : path;
};

async function send(method, path, { params, body, signal, accept = 'application/json' } = {}) {
  const headers = { accept };
  if (body !== undefined) headers['content-type'] = 'application/json';
  let response;
  try {
    response = await fetch(query(path, params), {
      method,
      headers,
      signal,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'same-origin',
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, 'unreachable', 'The program does not answer. Is `throughline serve` running?');
  }
  if (response.ok) return response;
  throw await refusal(response.status, await response.text());
}

/** The error that an answer tells of. */
export function refusal(status, text) {
  if (status === 401) window.dispatchEvent(new Event('signed-out'));
  try {
    const { error } = JSON.parse(text);
    return new ApiError(status, error.code, error.message);
  } catch {
    return new ApiError(status, 'unknown', `The program answered with status ${status}.`);
  }
}

const json = async (...args) => {
  const response = await send(...args);
  return response.status === 204 ? {} : response.json();
};
export const get = (path, params, signal) => json('GET', path, { params, signal });
export const post = (path, body, signal) => json('POST', path, { body: body ?? {}, signal });
export const patch = (path, body, params) => json('PATCH', path, { body, params });
export const remove = (path, params) => json('DELETE', path, { params });

/** The events of a streamed answer, one `{ event, data }` after the other. */
export async function* stream(path, body, signal) {
  const response = await send('POST', path, { body, signal, accept: 'text/event-stream' });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const events = eventReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield* events(value);
  }
}

/** Takes pieces of an event stream, and gives the events that are complete. */
export function eventReader() {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece.replaceAll('\r', '')).split('\n\n');
    rest = blocks.pop();
    return blocks.map(read).filter(Boolean);
  };
}

function read(block) {
  let event = 'message';
  const data = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
  }
  if (!data.length) return null;
  try {
    return { event, data: JSON.parse(data.join('\n')) };
  } catch {
    return { event, data: data.join('\n') };
  }
}
