// Each rule as a person reads it, and rules inside rules without a doubt about what belongs together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { absent, allOf, anyOf, anyone, may, nobody, own, present, readable, self, signedIn, when } from 'duet-api'
import { api } from '../../../reference/service.ts'
import { type AnyRule, nodeOf } from '../language/rule.ts'
import { snake } from '../naming/casing.ts'
import { compileModel } from './compile-model.ts'
import { ruleSentence } from './rule-sentence.ts'

const model = compileModel(api)

test('a rule is a sentence in the words of the face that asks', () => {
  const rows: readonly (readonly [AnyRule, string])[] = [
    [anyone, 'anyone'],
    [nobody, 'nobody'],
    [signedIn, 'anyone who is signed in'],
    [self, 'the account itself'],
    [own('author'), 'its author'],
    [readable('post'), 'whoever may read its post'],
    [may('publish'), 'holders of posts:publish'],
    [may('edit', own('author')), 'with posts:edit_own its author; holders of posts:edit_any'],
    [when({ status: 'published' }), 'anyone, while status is published'],
    [when({ publishedAt: present }), 'anyone, while published_at is set'],
    [when({ publishedAt: absent, bio: null }), 'anyone, while published_at is not set and bio is not set'],
    [
      when({ publishedAt: new Date(0), emailVerified: false }),
      'anyone, while published_at is 1970-01-01T00:00:00.000Z and email_verified is false',
    ],
    [
      anyOf(when({ publishedAt: present }), own('author'), may('publish')),
      'anyone, while published_at is set; its author; holders of posts:publish',
    ],
    [allOf(when({ status: 'draft' }), own('author')), 'its author, while status is draft'],
    [allOf(when({ status: 'draft' }), when({ title: 'x' })), 'anyone, while status is draft and title is x'],
    [
      allOf(anyOf(own('author'), own('editor')), may('publish')),
      '(its author; its editor), and only holders of posts:publish',
    ],
    [
      allOf(may('edit', own('author')), when({ status: 'draft' })),
      '(with posts:edit_own its author; holders of posts:edit_any), while status is draft',
    ],
    [
      anyOf(allOf(own('author'), when({ status: 'draft' })), may('manage')),
      'its author, while status is draft; holders of posts:manage',
    ],
    [
      allOf(allOf(own('author'), when({ status: 'draft' })), signedIn),
      '(its author, while status is draft), and only anyone who is signed in',
    ],
  ]
  for (const [rule, sentence] of rows)
    assert.equal(ruleSentence(nodeOf(rule), model.byName.get('Post')!, snake), sentence)
})

test('every rule of the reference service can be read', () => {
  const sentences = model.resources.flatMap((resource) =>
    [...resource.actions.values()].map((action) => ruleSentence(action.allow, resource, snake)),
  )
  assert.ok(sentences.length > 30)
  for (const sentence of sentences) assert.match(sentence, /^[a-z(][a-zA-Z_:;,() -]+$/)
})
