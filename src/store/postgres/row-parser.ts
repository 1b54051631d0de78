// Reads the rows that PostgreSQL sends, in place of the driver, which makes each value a text of its own: most of what a page
// of records costs this process. Everything else that the server says is the driver's to read.

import { EventEmitter } from 'node:events'
import { Client, type ClientConfig, type Connection } from 'pg'

/** The values of one row, in the text form of their types. */
export type RowTexts = (string | null)[]

/** The driver's client, but for how rows are read. */
export class RowsClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config)
    const connection = this.connection as Listening
    const listenToOthers = connection.attachListeners.bind(connection)
    connection.attachListeners = (stream) => {
      const others = new EventEmitter()
      const messages = new Messages({
        row: (fields) => void connection.emit('dataRow', { name: 'dataRow', length: 0, fields }),
        others: (bytes) => void others.emit('data', bytes),
      })
      stream.on('data', (bytes: Buffer) => messages.take(bytes))
      stream.on('end', () => others.emit('end'))
      listenToOthers(others)
    }
  }
}
/** Where the driver begins to read, on the connection that is encrypted if one is. */
type Listening = Connection & { attachListeners(stream: EventEmitter): void }

export interface MessageReaders {
  readonly row: (fields: RowTexts) => void
  /** Whole messages of other kinds, in the order in which they and the rows came. */
  readonly others: (bytes: Buffer) => void
}

const rowCode = 'D'.charCodeAt(0)
/** A code, and the length of what follows it, itself included. */
const headBytes = 5
const lengthOf = (bytes: Buffer, at: number): number => 1 + bytes.readUInt32BE(at + 1)

/** The messages of one connection, as their bytes come. (PostgreSQL's documentation, "Message Formats") */
export class Messages {
  readonly #readers: MessageReaders
  /** What has come of a message that is not whole yet, and how many bytes are missing before it is worth looking again. */
  #begun: Buffer[] = []
  #missing = 0

  constructor(readers: MessageReaders) {
    this.#readers = readers
  }

  take(bytes: Buffer): void {
    if (this.#begun.length === 0) {
      this.#read(bytes)
      return
    }
    this.#begun.push(bytes)
    this.#missing -= bytes.length
    if (this.#missing <= 0) this.#read(Buffer.concat(this.#begun.splice(0)))
  }

  #read(bytes: Buffer): void {
    // Others are handed on up to `read`.
    let read = 0
    let at = 0
    for (let end = endOf(bytes, at); end !== -1; end = endOf(bytes, at)) {
      if (bytes[at] === rowCode) {
        if (read < at) this.#readers.others(bytes.subarray(read, at))
        const first = at
        for (; end !== -1 && bytes[at] === rowCode; end = endOf(bytes, at)) at = end
        readRows(bytes, first, at, this.#readers.row)
        read = at
      } else at = end
    }
    if (read < at) this.#readers.others(bytes.subarray(read, at))
    if (at === bytes.length) return
    const rest = bytes.length - at
    this.#missing = (rest < headBytes ? headBytes : lengthOf(bytes, at)) - rest
    this.#begun = [bytes.subarray(at)]
  }
}

/** Where the message ends that begins here; -1 where it is not whole. */
function endOf(bytes: Buffer, at: number): number {
  if (at + headBytes > bytes.length) return -1
  const end = at + lengthOf(bytes, at)
  return end > bytes.length ? -1 : end
}

/**
 * Texts of ASCII are parts of one text that is made of all these rows, a quarter of the time of one for each. Nothing is kept
 * alive by them but the rows of one statement.
 */
function readRows(bytes: Buffer, from: number, to: number, take: (fields: RowTexts) => void): void {
  const text = bytes.toString('latin1', from, to)
  // Outside of ASCII a byte takes two in UTF-8.
  const beyondAscii = Buffer.byteLength(text) - text.length
  const isAscii = beyondAscii === countInLengths(bytes, from, to)
  for (let at = from; at < to; ) {
    const end = at + lengthOf(bytes, at)
    const fields: RowTexts = new Array(bytes.readUInt16BE(at + headBytes))
    at += headBytes + 2
    for (let index = 0; index < fields.length; index++) {
      const length = bytes.readInt32BE(at)
      at += 4
      if (length === -1) {
        fields[index] = null
        continue
      }
      fields[index] = isAscii ? text.slice(at - from, at - from + length) : bytes.toString('utf8', at, at + length)
      at += length
    }
    at = end
    take(fields)
  }
}

/** How many bytes that are no text, but say how long one is, look as if they were outside of ASCII. */
function countInLengths(bytes: Buffer, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; ) {
    const end = at + lengthOf(bytes, at)
    count += highOf(bytes, at + 1, 6)
    for (let field = at + headBytes + 2; field < end; ) {
      const length = bytes.readInt32BE(field)
      count += highOf(bytes, field, 4)
      field += 4 + Math.max(0, length)
    }
    at = end
  }
  return count
}

function highOf(bytes: Buffer, from: number, length: number): number {
  let count = 0
  for (let at = from; at < from + length; at++) count += bytes[at]! >> 7
  return count
}
