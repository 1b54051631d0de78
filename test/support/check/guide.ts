// Reads a guide as a series of steps: files to write and to change, commands and requests to make, and the answers that it shows.

import assert from 'node:assert/strict'

/** A block of code, with what it answers where the block behind it shows that. */
export type Step =
  | { readonly is: 'file'; readonly line: number; readonly name: string; readonly text: string }
  | { readonly is: 'change'; readonly line: number; readonly name: string; readonly text: string }
  | { readonly is: 'command'; readonly line: number; readonly words: readonly string[]; readonly answer: string | null }
  | {
      readonly is: 'request'
      readonly line: number
      readonly method: string
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      readonly answer: Message
    }
  | {
      readonly is: 'query'
      readonly line: number
      readonly as: string | null
      readonly text: string
      readonly answer: string
    }
/** Its first line, its headers and its body. */
export interface Message {
  readonly first: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Block {
  readonly line: number
  /** Behind the fence: `graphql as grace`. */
  readonly info: readonly string[]
  readonly text: string
}

/** Fails where a block is of no known kind, or a request has no answer. */
export function stepsOf(markdown: string): readonly Step[] {
  const steps: Step[] = []
  const blocks = blocksOf(markdown)
  for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
    const answer = (language: string): string => {
      assert.equal(blocks[0]?.info[0], language, `line ${block!.line} is followed by its answer`)
      return blocks.shift()!.text
    }
    steps.push(stepOf(block, answer, () => (blocks[0]?.info[0] === 'text' ? blocks.shift()!.text : null)))
  }
  return steps
}

function stepOf({ line, info, text }: Block, answer: (language: string) => string, output: () => string | null): Step {
  switch (info[0]) {
    case 'ts':
      return { is: 'file', line, name: fileNameOf(text, line), text }
    case 'diff':
      return { is: 'change', line, name: fileNameOf(text, line), text: text.slice(text.indexOf('\n') + 1) }
    case 'sh':
      return { is: 'command', line, words: text.trim().split(' '), answer: output() }
    case 'http': {
      const { first, headers, body } = messageOf(text)
      const [method, path] = first.split(' ') as [string, string]
      return { is: 'request', line, method, path, headers, body, answer: messageOf(answer('http')) }
    }
    case 'graphql':
      return { is: 'query', line, as: info[2] ?? null, text, answer: answer('json') }
    default:
      throw new Error(`Line ${line}: nobody knows what to do with ${info.join(' ')}.`)
  }
}

function fileNameOf(text: string, line: number): string {
  const [, name] = /^\/\/ (\S+)\n/.exec(text) ?? []
  assert.ok(name !== undefined, `line ${line} begins with the name of its file`)
  return name
}

function blocksOf(markdown: string): Block[] {
  const blocks = markdown.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)
  return Array.from(blocks, ({ index, 1: info, 2: text }) => ({
    line: markdown.slice(0, index).split('\n').length,
    info: info!.split(' '),
    text: text!,
  }))
}

function messageOf(text: string): Message {
  const [head, ...body] = text.split('\n\n')
  const [first, ...lines] = head!.trimEnd().split('\n')
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)))
  return { first: first!, headers, body: body.join('\n\n').trim() }
}

/** Fails where the two differ; `…` in what is expected stands for anything. */
export function assertLike(actual: unknown, expected: unknown, where: string): void {
  if (typeof expected === 'string' && expected.includes('…')) {
    const parts = expected.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    assert.match(String(actual), new RegExp(`^${parts.join('[^]*?')}$`), where)
  } else if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) {
    assert.deepEqual(actual, expected, where)
  } else {
    assert.deepEqual(Object.keys(actual), Object.keys(expected), where)
    for (const [name, each] of Object.entries(expected)) assertLike(actual[name as never], each, `${where}, ${name}`)
  }
}
