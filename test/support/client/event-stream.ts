// One stream of server-sent events for tests: events are awaited in order, and so is the end.

export interface Received {
  /** `message` if the block names none. */
  readonly event: string
  readonly id?: string
  readonly data: string
}
interface Opening {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Problem {
  readonly message: string
  readonly extensions: { readonly code: string; readonly details?: readonly { readonly field: string }[] }
}
/** The envelope of REST, or errors of GraphQL. */
interface Refused {
  readonly error?: { readonly code: string; readonly details?: readonly { readonly field: string }[] }
  readonly errors?: readonly Problem[]
}

export class TestStream {
  readonly response: Response
  readonly #abort: AbortController
  #refusal = ''
  readonly #events: Received[] = []
  readonly #waiting: ((event: Received) => void)[] = []
  /** Every block as it was sent, comments among them. */
  readonly blocks: string[] = []
  /** What the last block with an id named. */
  lastId: string | null = null
  /** How the stream ended: by its end, or cut off. */
  readonly ended: Promise<'complete' | 'cut off'>

  private constructor(response: Response, abort: AbortController) {
    this.response = response
    this.#abort = abort
    this.ended = this.#read().then(
      () => 'complete',
      () => 'cut off',
    )
  }

  /** Resolves with the head of the answer. */
  static async open(url: string, { headers = {}, ...init }: Opening = {}): Promise<TestStream> {
    const abort = new AbortController()
    const sent = { Accept: 'text/event-stream', ...headers }
    return new TestStream(await fetch(url, { ...init, headers: sent, signal: abort.signal }), abort)
  }

  /** A GraphQL operation by POST. */
  static ofOperation(
    url: string,
    request: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestStream> {
    const body = JSON.stringify(request)
    const all = { 'Content-Type': 'application/json', ...headers }
    return TestStream.open(`${url}/graphql`, { method: 'POST', headers: all, body })
  }

  /** The next event with data. */
  next(): Promise<Received> {
    const event = this.#events.shift()
    return event === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(event)
  }

  /** The next event but keep-alives. */
  async happened(): Promise<Received> {
    for (;;) {
      const event = await this.next()
      if (event.event !== 'keep-alive') return event
    }
  }

  leave(): void {
    this.#abort.abort()
  }

  /** Of an answer that is no stream. */
  async refusal(): Promise<{ readonly status: number; readonly body: Refused }> {
    await this.ended
    return { status: this.response.status, body: JSON.parse(this.#refusal) as Refused }
  }

  async #read(): Promise<void> {
    if (this.response.headers.get('Content-Type')?.startsWith('text/event-stream') !== true) {
      this.#refusal = await this.response.text()
      return
    }
    let text = ''
    for await (const chunk of this.response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) this.#take(block)
    }
  }

  #take(block: string): void {
    this.blocks.push(block)
    const fields = Object.fromEntries(block.split('\n').map((line) => /^(\w*): ?(.*)$/s.exec(line)?.slice(1) ?? []))
    if (fields.id !== undefined) this.lastId = fields.id
    if (fields.data === undefined) return
    const event = { event: 'message', ...fields } as unknown as Received
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#events.push(event)
    else waiting(event)
  }
}
