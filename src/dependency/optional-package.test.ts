import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadOptional, MissingPackage, requireOptional } from './optional-package.ts'

const name = 'a-package-that-nobody-has'
const sentence = `DATABASE_URL names it, and the package ${name} is missing: npm install ${name}.`

test('a package that is not installed is named, with who needs it and how it is installed', async () => {
  const load = loadOptional(name, 'DATABASE_URL names it', () => import(name))
  await assert.rejects(load, (error) => error instanceof MissingPackage && error.message === sentence)
  assert.throws(() => requireOptional(name, 'DATABASE_URL names it'), { message: sentence })
})

test('one that is there is loaded, or left alone', async () => {
  assert.equal((await loadOptional('pg', 'x', () => import('pg'))).default.Client.name, 'Client')
  requireOptional('pg', 'x')
})

test('any other error passes as it is', async () => {
  await assert.rejects(
    loadOptional('pg', 'x', () => import(name)),
    { code: 'ERR_MODULE_NOT_FOUND' },
  )
  await assert.rejects(
    loadOptional('pg', 'x', () => Promise.reject(new Error('it is broken'))),
    { message: 'it is broken' },
  )
})
