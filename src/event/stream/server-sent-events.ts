// The text of server-sent events. (HTML Standard 9.2)

export interface SentEvent {
  readonly event: string
  readonly id?: string | undefined
  /** JSON text. */
  readonly data: string
}

/** Between the tokens of JSON a line break is a space, which it would not be here. */
export const eventBlock = ({ event, id, data }: SentEvent): string =>
  `event: ${event}\n${id === undefined ? '' : idLine(id)}data: ${data.replaceAll(/[\r\n]/g, ' ')}\n\n`

/** Moves the id to resume after, and reports no event. */
export const idBlock = (id: string): string => `${idLine(id)}\n`
export const commentBlock = ':\n\n'
export const retryBlock = (milliseconds: number): string => `retry: ${milliseconds}\n\n`

const idLine = (id: string): string => `id: ${id}\n`
