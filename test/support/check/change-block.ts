// Applies a change block of a guide to a file: a diff whose hunks are found by their lines, for a guide has no line numbers.

import assert from 'node:assert/strict'

interface Hunk {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/**
 * The text with every hunk of the block applied. A line alone with `…` divides two hunks.
 * Fails where the lines of a hunk that are kept or removed are not in the text exactly once.
 */
export function applyChangeBlock(text: string, block: string, where: string): string {
  return block
    .replace(/\n$/, '')
    .split('\n…\n')
    .map((lines) => hunkOf(lines.split('\n'), where))
    .reduce((current, hunk) => applyHunk(current, hunk, where), text)
}

function hunkOf(lines: readonly string[], where: string): Hunk {
  const stray = lines.find((line) => !/^[ +-]|^$/.test(line))
  assert.ok(stray === undefined, `${where}: "${stray}" does not begin with a space, - or +.`)
  assert.ok(
    lines.some((line) => /^[+-]/.test(line)),
    `${where}: these lines change nothing:\n${lines.join('\n')}`,
  )
  const without = (sign: string) => lines.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1))
  return { before: without('+'), after: without('-') }
}

function applyHunk(text: string, { before, after }: Hunk, where: string): string {
  const lines = text.split('\n')
  const places = [...lines.keys()].filter((start) => before.every((line, index) => lines[start + index] === line))
  const presence = places.length === 0 ? 'are not in the file' : `are in the file ${places.length} times`
  assert.ok(places.length === 1, `${where}: these lines ${presence}:\n${before.join('\n')}`)
  return lines.toSpliced(places[0]!, before.length, ...after).join('\n')
}
