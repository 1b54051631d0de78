// Which addresses a sign-in may end at, and which look as if they were one of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseReturnUrls } from './return-urls.ts'

const listed =
  'https://app.example.com/signed-in, com.example.app:/signed-in,http://127.0.0.1/done,http://localhost:5173/'
const base = 'https://api.example.com/base'

const allowed = [
  ['https://app.example.com/signed-in', 'https://app.example.com/signed-in'],
  ['https://APP.example.com:443/signed-in', 'https://app.example.com/signed-in'],
  ['https://app.example.com/x/../signed-in', 'https://app.example.com/signed-in'],
  ['com.example.app:/signed-in', 'com.example.app:/signed-in'],
  ['http://127.0.0.1:49152/done', 'http://127.0.0.1:49152/done'],
  ['http://127.0.0.1/done', 'http://127.0.0.1/done'],
  ['http://localhost:5173', 'http://localhost:5173/'],
]
for (const [sent, found] of allowed)
  test(`5.16.2 ${sent} is allowed`, () => assert.equal(parseReturnUrls(listed, base)(sent!), found))

const refused = [
  '',
  '/signed-in',
  '//app.example.com/signed-in',
  'https://app.example.com/signed-in/',
  'https://app.example.com/signed-in?x=1',
  'https://app.example.com/signed-in?',
  'https://app.example.com/signed-in#x',
  'https://app.example.com/signed-in#',
  'https://app.example.com/SIGNED-IN',
  'https://app.example.com:8443/signed-in',
  'http://app.example.com/signed-in',
  'https://app.example.com.evil.org/signed-in',
  'https://app.example.com@evil.org/signed-in',
  'https://user@app.example.com/signed-in',
  'https://evil.org/https://app.example.com/signed-in',
  'https:\\\\app.example.com\\signed-in',
  'https://app.example.com/\tsigned-in',
  ' https://app.example.com/signed-in',
  'https://api.example.com/base',
  'javascript:alert(1)',
  'data:text/html,x',
  'com.example.other:/signed-in',
  'com.example.app:/signed-out',
  'http://127.0.0.1:49152/other',
  'http://127.0.0.2/done',
  'http://[::1]/done',
  'http://localhost:5174/',
]
for (const sent of refused)
  test(`5.16.2 ${JSON.stringify(sent)} is refused`, () => assert.equal(parseReturnUrls(listed, base)(sent), null))

test('5.16.2 without the variable, only the own origin', () => {
  const find = parseReturnUrls(null, base)
  assert.equal(find('https://api.example.com/anything'), 'https://api.example.com/anything')
  for (const sent of ['http://api.example.com/', 'https://api.example.com:8443/', 'https://api.example.com.evil.org/'])
    assert.equal(find(sent), null, sent)
})

test('5.16.2 an address that could not be one stops the service', () => {
  for (const text of [
    'https://a.example/?x',
    'http://a.example/',
    'myapp:/x',
    'https://a.example/,',
    '*',
    'https://u@a.example/',
  ])
    assert.throws(() => parseReturnUrls(text, base), /^Error: RETURN_URLS: /, text)
})
