// What two linters of packages say of ours, as npm would publish it.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { packPackage } from '../support/process/archive.ts'

describe('the packed package', () => {
  let folder: string
  let archive: Buffer<ArrayBuffer>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'duet-lint-'))
    archive = await readFile(await packPackage(join(folder, 'source')))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('is as publint wants it, suggestions included', async () => {
    const tarball = archive.buffer.slice(archive.byteOffset, archive.byteOffset + archive.length)
    const { messages } = await publint({ pack: { tarball }, strict: true })
    assert.deepEqual(messages, [])
  })

  test('has types for its importers: it is a package of modules alone, for resolutions that know exports', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(archive))
    assert.ok(analysis.types, 'types are found')
    assert.deepEqual(Object.keys(analysis.entrypoints).sort(), [
      '.',
      './client',
      './client/subscriptions',
      './package.json',
    ])
    const foreseen = ['node10', 'node16-cjs']
    const problems = analysis.problems.filter(
      (problem) => !('resolutionKind' in problem && foreseen.includes(problem.resolutionKind)),
    )
    assert.deepEqual(problems, [])
  })
})
