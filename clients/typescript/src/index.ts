/** The client of Throughline's HTTP API. Each method is one request; its answer is a document of `types`. */

import type {
  ContextDocument,
  ContextQuery,
  ForgetDocument,
  MemoriesDocument,
  NewMessage,
  RecordDocument,
  RememberedDocument,
  SearchDocument,
  SearchQuery,
  TurnDocument,
} from "./types.js";

export type * from "./types.js";

/** How a server is reached. */
export interface Options {
  /** The token, if the server wants one. */
  token?: string;
  /** Another `fetch`. */
  fetch?: typeof fetch;
}

/** How one request is made. */
export interface Sending {
  /** A name for the request: sent twice, it is carried out once. */
  idempotencyKey?: string;
  /** Ends it early. */
  signal?: AbortSignal;
}

/** A request failed. `code` is a word for programs, and the message says what to do. */
export class ThroughlineError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = "ThroughlineError";
  }
}

/** The words of a reply as they come. Once they have all come, `document` is the whole turn. */
export class TurnStream implements AsyncIterable<string> {
  document?: TurnDocument;

  constructor(private readonly body: ReadableStream<Uint8Array>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    for await (const [name, data] of events(this.body)) {
      if (name === "delta") {
        yield data.text;
      } else if (name === "error") {
        throw new ThroughlineError(200, data.error.code, data.error.message);
      } else if (name === "done") {
        this.document = data;
        return;
      }
    }
    throw new ThroughlineError(0, "broke_off", "the stream broke off; the turn goes on and its reply is recorded");
  }
}

/** The memory behind a Throughline server. A token that is bound to a chat needs no chat in the calls. */
export class Memory {
  private readonly url: string;

  constructor(
    url = "http://127.0.0.1:7717",
    private readonly options: Options = {},
  ) {
    this.url = url.replace(/\/+$/, "");
  }

  /** What a model should read to answer a message. */
  context(chat: string | undefined, message: string, more: Partial<ContextQuery> = {}): Promise<ContextDocument> {
    return this.post("/v1/context", { format: "messages", ...more, chat, message });
  }

  /** Records one message. Show a person the `text` of an assistant's, which has no tags. */
  record(
    chat: string | undefined,
    text: string,
    more: Partial<NewMessage> = {},
    sending: Sending = {},
  ): Promise<RecordDocument> {
    return this.post("/v1/messages", { ...more, chat, text }, sending);
  }

  /** Searches one chat, or all chats of the caller's person. */
  search(query: string, more: Partial<SearchQuery> = {}): Promise<SearchDocument> {
    return this.post("/v1/search", { ...more, query });
  }

  /** Lets the server's model answer a message. */
  turn(chat: string | undefined, message: string, sending: Sending = {}): Promise<TurnDocument> {
    return this.post("/v1/turns", { chat, message }, sending);
  }

  /** The same, word by word: `for await (const words of await memory.stream(chat, "…"))`. */
  async stream(chat: string | undefined, message: string, sending: Sending = {}): Promise<TurnStream> {
    const response = await this.send("POST", "/v1/turns", { chat, message }, sending, "text/event-stream");
    return new TurnStream(response.body!);
  }

  /** The memories that may be seen in a chat. */
  async memories(chat?: string): Promise<MemoriesDocument> {
    const query = chat === undefined ? "" : `?chat=${encodeURIComponent(chat)}`;
    return (await this.send("GET", `/v1/memories${query}`)).json();
  }

  /** Remembers a statement. */
  remember(chat: string | undefined, text: string, more: { kind?: string } = {}): Promise<RememberedDocument> {
    return this.post("/v1/memories", { ...more, chat, text });
  }

  /** Forgets a topic, or one memory or message by its id; with `dry_run`, only shows what would be forgotten. */
  forget(
    chat: string | undefined,
    what: { topic: string } | { id: string },
    more: { dry_run?: boolean } = {},
  ): Promise<ForgetDocument> {
    return this.post("/v1/forget", { ...more, ...what, chat });
  }

  private async post<Document>(path: string, body: object, sending: Sending = {}): Promise<Document> {
    return (await this.send("POST", path, body, sending)).json() as Promise<Document>;
  }

  private async send(
    method: string,
    path: string,
    body?: object,
    sending: Sending = {},
    accept = "application/json",
  ): Promise<Response> {
    const headers: Record<string, string> = { accept, "content-type": "application/json" };
    if (this.options.token !== undefined) headers.authorization = `Bearer ${this.options.token}`;
    if (sending.idempotencyKey !== undefined) headers["idempotency-key"] = sending.idempotencyKey;
    const send = this.options.fetch ?? fetch;
    let response: Response;
    try {
      response = await send(this.url + path, { method, headers, body: JSON.stringify(body), signal: sending.signal });
    } catch (cause) {
      if (sending.signal?.aborted) throw cause;
      throw new ThroughlineError(0, "unreachable", `${this.url} cannot be reached: ${cause}`);
    }
    if (response.ok) return response;
    const told = await response.json().catch(() => undefined);
    const { code = "failed", message = `the server answered ${response.status}` } = told?.error ?? {};
    throw new ThroughlineError(response.status, code, message);
  }
}

/** The server-sent events of a body: their names and data. */
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<[string, any], void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const fields = block.split("\n").map((line) => line.split(/: ?(.*)/s, 2) as [string, string?]);
        const all = (name: string) => fields.filter(([field]) => field === name).map(([, text]) => text ?? "");
        if (all("data").length > 0) yield [all("event")[0] ?? "message", JSON.parse(all("data").join("\n"))];
      }
    }
  } finally {
    await reader.cancel();
  }
}
