import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import { allSound } from './all-sound.ts'

const refuse =
  (...sentences: string[]) =>
  () => {
    throw new ServiceDefinitionError(sentences)
  }

test('what several checks find is reported at once', () => {
  const find = () => allSound(refuse('a', 'b'), () => 1, refuse('c'))
  assert.throws(find, { contradictions: ['a', 'b', 'c'] })
})
test('each result is returned where nothing is found', () => {
  assert.deepEqual(
    allSound(
      () => 1,
      () => 'two',
    ),
    [1, 'two'],
  )
})
test('a bug of a check is no contradiction', () => {
  const bug = new Error('bug')
  const fail = () => {
    throw bug
  }
  assert.throws(() => allSound(refuse('a'), fail), bug)
})
