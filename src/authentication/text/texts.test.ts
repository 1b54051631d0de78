// Texts of mails and pages: which language, and what a service may replace. (contract 5.17.2)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailTexts, pageTexts, requireSoundTexts } from './texts.ts'

const own = { de: { sign_in: 'Willkommen', with_issuer: 'Go to {name}' }, 'pt-BR': { sign_in: 'Log on' } }

for (const [accepted, language] of [
  [undefined, 'de'],
  ['', 'de'],
  ['de-AT, en;q=0.9', 'de'],
  ['en, de;q=0.5', 'en'],
  ['fr, en;q=0.2', 'en'],
  ['fr;q=0.9, pt-BR;q=0.8, de;q=0.7', 'pt-BR'],
  ['de;q=0, en;q=0.1', 'en'],
  ['*', 'de'],
  ['fr', 'de'],
] as const)
  test(`5.17.2 a browser that accepts ${accepted} gets ${language}`, () => {
    assert.equal(pageTexts(accepted, own).language, language)
  })

test('5.17.2 a text that a language lacks is English, and values are filled in', () => {
  const { text } = pageTexts('de', own)
  assert.equal(text('sign_in'), 'Willkommen')
  assert.equal(text('password'), 'Password')
  assert.equal(text('with_issuer', { name: 'Example' }), 'Go to Example')
  assert.equal(pageTexts('de', {}).language, 'en')
})

test('5.17.2 mails have the first language', () => {
  assert.equal(mailTexts(own).language, 'de')
  assert.equal(mailTexts({}).language, 'en')
})

test('5.17.2 a key or a brace that English has not stops the start', () => {
  assert.throws(() => requireSoundTexts({ de: { signin: 'x', sign_in: '{name}' } }), {
    message:
      /accounts.texts.de.signin: there is no such text; strike it.*accounts.texts.de.sign_in: nothing fills in \{name\}/s,
  })
  requireSoundTexts(own)
})
