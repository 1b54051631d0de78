import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { applyChangeBlock } from './change-block.ts'
import { stepsOf } from './guide.ts'

const file = `// list.ts
first
  indented

same
middle
same
last
`

describe('a change block', () => {
  const apply = (...lines: readonly string[]) => applyChangeBlock(file, `${lines.join('\n')}\n`, 'line 7')

  test('keeps, removes and adds whole lines', () => {
    assert.equal(apply(' first', '-  indented', '+  nested', '+  twice'), file.replace('indented', 'nested\n  twice'))
  })

  test('has as many hunks as there are gaps in it', () => {
    assert.equal(
      apply('-first', '…', ' middle', ' same', '+new'),
      file.replace('first\n', '').replace('last', 'new\nlast'),
    )
  })

  test('keeps an empty line, whose space editors take away', () => {
    assert.equal(apply('   indented', '', '-same'), file.replace('same\n', ''))
  })

  test('leaves what dollar signs mean in a replacement alone', () => {
    assert.equal(
      apply('-last', '+`$&`'),
      file.replace('last', () => '`$&`'),
    )
  })

  test('fails where its lines are not in the file', () => {
    assert.throws(() => apply(' first', '-gone'), { message: 'line 7: these lines are not in the file:\nfirst\ngone' })
  })

  test('fails where its lines are a part of other lines only', () => {
    assert.throws(() => apply('-indented'), { message: 'line 7: these lines are not in the file:\nindented' })
  })

  test('fails where its lines are in the file twice', () => {
    assert.throws(() => apply('-same'), { message: 'line 7: these lines are in the file 2 times:\nsame' })
  })

  test('fails where it reveals nothing of where it adds', () => {
    assert.throws(() => apply('+new'), /line 7: these lines are in the file \d+ times/)
  })

  test('fails where a line has no sign, and where nothing changes', () => {
    assert.throws(() => apply('first', '+new'), { message: 'line 7: "first" does not begin with a space, - or +.' })
    assert.throws(() => apply(' first'), { message: 'line 7: these lines change nothing:\n first' })
  })
})

describe('a guide', () => {
  test('names the file of a change block as it names that of a listing', () => {
    const [step] = stepsOf('Text.\n\n```diff\n// list.ts\n-first\n+one\n```\n')
    assert.deepEqual(step, { is: 'change', line: 3, name: 'list.ts', text: '-first\n+one\n' })
  })

  test('fails where a change block names no file', () => {
    assert.throws(() => stepsOf('```diff\n-first\n```\n'), /line 1 begins with the name of its file/)
  })
})
