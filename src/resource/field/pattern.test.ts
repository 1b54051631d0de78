// Patterns: what of a text they are asked of, and which of them are refused for the time that they may take.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matches, patternContradiction, wholePattern } from './pattern.ts'

test('a pattern is matched against the whole text, and an anchored one stays as it is', () => {
  const rows: readonly (readonly [pattern: string | RegExp, whole: string])[] = [
    [/[a-z]+/, '^(?:[a-z]+)$'],
    [/^[a-z]+$/, '^[a-z]+$'],
    ['^[a-z]+', '^(?:^[a-z]+)$'],
    ['^a|b$', '^(?:^a|b$)$'],
    [/^a\$/, '^(?:^a\\$)$'],
    [/a\/b/u, '^(?:a\\/b)$'],
  ]
  for (const [pattern, whole] of rows) assert.equal(wholePattern(pattern), whole)
  assert.ok(matches(/a|bc/, 'bc') && !matches(/a|bc/, 'abc') && !matches(/^a$/, 'a\n'))
})

test('11.3.2 a pattern that may take longer than its text is long is refused, one that cannot is not', () => {
  const slow = [
    ...['(a+)+', '(a|a)*', '(a|aa)+', 'a*a*', '(.*a){12}', '\\d+\\d+', '([a-z]+-?)+', '(?:[a-z0-9]+\\s?)*'],
    ...['(?:a?){25}a{25}', '\\s*(.*)\\s*', '[a-z]*[0-9]*[a-z0-9]*', '(?:.{1,50}){1,50}', '(x{1,100}){1,100}y'],
    ...['(?=(a+)+$).*', '(?:x|\\d*)*\\d*', '(a{0,30}){0,30}', '.*a.*', '(?:a|b|ab)*'],
  ]
  const fast = [
    ...[
      '[a-z0-9-]+',
      '[a-z0-9]+(?:-[a-z0-9]+)*',
      '[A-Z]{2}\\d{4}',
      '\\+?[1-9]\\d{1,14}',
      'red|green|blue',
      '#[0-9a-f]{6}',
    ],
    ...['[a-z][a-z0-9_]*(?:\\.[a-z][a-z0-9_]*)*', "[\\p{L} '-]+", '(?!admin$)[a-z]+', '[A-Z]{2}\\d{2}[A-Z0-9]{11,30}'],
    ...[
      '(?:[01]\\d|2[0-3]):[0-5]\\d',
      '\\d+(?:\\.\\d+){2}(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?',
      '.{1,200}',
      '[^@]+@[^@]+',
    ],
    ...['(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?', '(?=.*[A-Z])(?=.*\\d).+', 'https://.+'],
  ]
  for (const each of slow) assert.match(patternContradiction(each)?.[0] ?? each, / may match one text in many ways/)
  for (const each of fast) assert.equal(patternContradiction(each), null, each)
})
