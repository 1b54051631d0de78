// `fetch` for other people's clients that remembers what was sent and answered.

export interface Sent {
  readonly method: string
  readonly url: string
  /** Whether the text of the document went along, and not its hash alone. */
  readonly hasText: boolean
  readonly status: number
  readonly headers: Headers
}

export interface RecordedFetch {
  readonly fetch: typeof fetch
  /** What was sent since this was last asked. */
  readonly taken: () => readonly Sent[]
}

export function recordFetch(): RecordedFetch {
  const sent: Sent[] = []
  return {
    async fetch(input, init = {}) {
      const url = input instanceof Request ? input.url : String(input)
      const answer = await fetch(input, init)
      const { method = 'GET', body } = init
      const hasText = method === 'GET' ? new URL(url).searchParams.has('query') : 'query' in JSON.parse(String(body))
      sent.push({ method, url, hasText, status: answer.status, headers: answer.headers })
      return answer
    },
    taken: () => sent.splice(0),
  }
}
