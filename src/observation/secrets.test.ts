import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { mainThreadMs } from '../../test/support/check/processor-time.ts'
import { createCleaner, isSecretName, passwordsIn, secretValuesIn } from './secrets.ts'

const secret = 'correct horse "battery" staple'
const token = `rt_${'Ab-_9'.repeat(8)}abc`
const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c3JfMSJ9.c2lnbmF0dXJl'

describe('a text loses', () => {
  const clean = createCleaner(['from the configuration', 'p@ss/word'])
  const cases: readonly (readonly [what: string, text: string, cleaned: string])[] = [
    ['what is known to be secret', 'It is from the configuration.', 'It is [secret].'],
    ['the same as a URL writes it', 'at p%40ss%2Fword!', 'at [secret]!'],
    [
      'a password in JSON',
      `Bad input: ${JSON.stringify({ password: secret, title: 'x' })}`,
      'Bad input: {"password":[secret],"title":"x"}',
    ],
    ['a password as Node prints it', inspect({ password: "it's" }), '{ password: [secret] }'],
    [
      'a password as GraphQL writes it',
      `createUser(input: {password: "${'x'.repeat(9)}", name: "y"})`,
      'createUser(input: {password: [secret], name: "y"})',
    ],
    ['one that is cut off', '{"password":"correct hor', '{"password":[secret]'],
    ['a parameter', '?a=1&reset_token=abc&b=2', '?a=1&reset_token=[secret]&b=2'],
    [
      'the password of a URL',
      'postgres://duet:hunter2@db.example.com/duet',
      'postgres://duet:[secret]@db.example.com/duet',
    ],
    ['opaque tokens', `shown ${token} again`, 'shown [secret] again'],
    ['signed tokens', `shown ${jwt}`, 'shown [secret]'],
    ['credentials', 'Authorization: Bearer abc.def', 'Authorization: [secret] [secret]'],
    ['cookies', 'Cookie: refresh_token=abc; a=b', 'Cookie: [secret]; a=b'],
  ]
  for (const [what, text, cleaned] of cases) test(what, () => assert.equal(clean(text), cleaned))

  test('nothing else', () => {
    const text =
      "Cannot read properties of undefined (reading 'title') at post_01KAG1Z4S3X7Y8Z9ABCDEFGHJK, key 12, http://127.0.0.1:3000/x"
    assert.equal(clean(text), text)
  })
  test('no short word that a secret happens to be', () => {
    assert.equal(createCleaner(['a', ''])('a text'), 'a text')
  })
  test('its secrets in a time that grows with its length', () => {
    const begun = mainThreadMs()
    for (const part of ['password:"\\', 'a://a:', 'eyJaaaa.', 'Bearer ', 'token=', '_-aaaa_'])
      clean(part.repeat(20_000))
    assert(mainThreadMs() - begun < 2_000)
  })
})

test('URLs give their passwords as written and as meant', () => {
  assert.deepEqual(passwordsIn('postgres://u:a%20b@h/d', null, 'redis://h', 'sqlite:./x.db'), ['a%20b', 'a b'])
})

test('names of secrets', () => {
  for (const name of ['password', 'refresh_token', 'apiKey', 'X-API-Key', 'key', 'Authorization', 'clientSecret'])
    assert(isSecretName(name), name)
  for (const name of ['requestId', 'userId', 'keyId', 'code', 'monkey', 'eventId']) assert(!isSecretName(name), name)
})

test('what a request says under the name of a secret is found at any depth', () => {
  const document = 'mutation { createUser(input: { name: "a", password: "one \\"two\\"" }) { id } }'
  const body = {
    query: document,
    variables: { input: { password: 'three', title: 'innocent', tokens: ['four'] } },
    extensions: [{ apiKey: 'five' }],
  }
  assert.deepEqual(secretValuesIn(body), ['one "two"', 'three', 'four', 'five'])
})
