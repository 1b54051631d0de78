// Texts made to take long: whatever reads what a client sends takes a time that grows as the text does. (contract 8.5.6)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tokensOf } from '../../src/action/question/where/token.ts'
import { nestsDeeper } from '../../src/graphql/document/nesting.ts'
import { matchesNone } from '../../src/http/message/conditional.ts'
import { requireJsonType } from '../../src/http/message/media-type.ts'
import { negotiateMediaType } from '../../src/http/message/negotiate.ts'
import { readQuery } from '../../src/http/message/query.ts'
import { readJsonText } from '../../src/json/read-json.ts'
import { createCleaner, isSecretName, secretValuesIn } from '../../src/observation/secrets.ts'
import { kind as text } from '../../src/resource/field/text.ts'
import { normalForm } from '../../src/resource/model/normal-form.ts'
import { foldedValue } from '../../src/resource/model/search/caseless.ts'
import { storedParts, storedWords } from '../../src/resource/model/search/search-text.ts'
import { mainThreadMs } from '../support/check/processor-time.ts'

const clean = createCleaner([])
const marks = [
  '\u0301\u0323',
  '\u0301\uff9e',
  'a\u0301\u200d\u0323',
  '\u0e38\u0e48',
  '\ufdfa',
  'ﾞ\u0323',
  '한',
  '漢',
  'é',
]
const quotes = ['"', '"""', '"""a', '""\n', '"\\', '#"', '{"', '\\"""']
const colons = ['token:', 'token:"\\a', 'token ', 'token', "token='a ", 'a:"\\"']
const credentials = ['eyJaaaa-', '-eyJaaaa', 'a_a-', 'aa://', 'a://a:', 'Bearer ', '-token', 'token="\' ']
const commas = [',', ' ,', '"a" ', '*/*;', ';q=', '\t']

/** What reads a text, its largest size in bytes, and parts of which hostile texts are made. */
const readers: readonly (readonly [
  what: string,
  bytes: number,
  parts: readonly string[],
  read: (text: string) => unknown,
])[] = [
  ['a caseless value', 1_048_576, marks, (each) => foldedValue(each, 500)],
  ['a searched value', 1_048_576, marks, (each) => storedWords(each, 100_000)],
  ['a value searched by parts', 1_048_576, marks, (each) => storedParts(each, 100_000)],
  ['a password', 1_048_576, marks, (each) => normalForm(each, 'NFKC')],
  ['an email address', 1_048_576, ['a.', 'a@', 'a-', '@a.'], (each) => checkText('email', each)],
  ['a web address', 1_048_576, ['http://', 'http://a/', 'http://a?%', '%41'], (each) => checkText('url', each)],
  ['brackets of a document', 262_144, quotes, (each) => nestsDeeper(each, 50)],
  ['secrets of a document', 262_144, colons, (query) => secretValuesIn({ query })],
  ['a name', 1_048_576, ['token', 'token!', '-'], (each) => isSecretName(`${each}!`)],
  ['a line of the log', 1_048_576, [...colons, ...credentials], clean],
  [
    'JSON',
    1_048_576,
    ['[', '"\\u00', '{"a":', '0', ' ', '"\\', '-', '0.'],
    (each) => readJsonText(each, { jsonDepth: 32 }),
  ],
  ['a condition', 8_192, ['"', "'\\", '1e', ' ', '(', 'a.', '1.'], tokensOf],
  ['a query', 8_192, ['%', '&', '=', '+', '%41', 'a=b&'], (each) => readQuery(each, [])],
  ['a media type', 16_384, [';', '; ', ';a="', ';a="\\', ';='], (each) => requireJsonType({ 'content-type': each })],
  ['what is accepted', 16_384, commas, (each) => negotiateMediaType(each, ['application/json'])],
  ['entity tags', 16_384, commas, (each) => matchesNone(each, '"a"')],
]

function checkText(format: 'email' | 'url', value: string): unknown {
  return text.check(
    { is: 'text', format } as never,
    value,
    () => null as never,
    (name) => name,
  )
}

describe('8.5.6 no text that a client sends takes long to read', () => {
  for (const [what, bytes, parts, read] of readers) {
    test(what, () => {
      for (const part of parts) {
        const hostile = part.repeat(Math.floor(bytes / Buffer.byteLength(part)))
        const begunMs = mainThreadMs()
        try {
          read(`${what === 'a media type' ? 'application/json' : ''}${hostile}`)
        } catch {
          // It may be refused.
        }
        const ms = mainThreadMs() - begunMs
        // What grows with the square of these sizes takes from some seconds to minutes.
        assert(ms < 2_000, `${JSON.stringify(part)} takes ${ms.toFixed()} ms`)
      }
    })
  }

  test('many secrets in one request', () => {
    const secrets = secretValuesIn({ token: Array.from({ length: 100_000 }, (_, at) => `secret ${at}`) })
    const begunMs = mainThreadMs()
    assert.equal(createCleaner(secrets)(`It is secret 77. ${'Words. '.repeat(10_000)}`), '[secret]')
    assert(mainThreadMs() - begunMs < 2_000)
  })
})
