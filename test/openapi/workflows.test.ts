// Another vendor's runner carries out the workflows of the reference service, as they come from it. (contract 4.15.11)

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createConfig } from '@redocly/openapi-core'
import { type RespectOptions, run } from '@redocly/respect-core'
import { redoclyProblems } from '../support/oracle/openapi-rules.ts'
import { type ActorName, password, withService } from '../support/server/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'duet-workflows-'))
after(() => rmSync(folder, { recursive: true }))

const nothing = () => {}
const logger = { info: nothing, warn: nothing, error: nothing, output: nothing, printNewLine: nothing }

/** The steps of each workflow, with the checks that fail. A step that fails ends its workflow. */
async function runWorkflows(workflow: string[], server: string, inputs: object): Promise<object> {
  const [result] = await run({
    files: [join(folder, 'workflows.json')],
    workflow,
    input: JSON.stringify(inputs),
    server: `api=${server}`,
    config: (await createConfig({})) as unknown as RespectOptions['config'],
    requestFileLoader: { getFileBody: () => assert.fail('No workflow sends a file.') },
    fetch,
    logger: { ...logger, printSeparator: nothing, indent: (text) => text },
    maxSteps: 100,
    maxFetchTimeout: 60_000,
    skipLint: true,
  })
  return Object.fromEntries(
    result!.executedWorkflows.map(({ workflowId, executedSteps }) => [workflowId, executedSteps.flatMap(resultOf)]),
  )
}

type Executed = Awaited<ReturnType<typeof run>>[number]['executedWorkflows'][number]
function resultOf(step: Executed['executedSteps'][number]): readonly string[] {
  assert.ok('checks' in step)
  const failed = step.checks.filter(({ passed }) => !passed)
  return [step.stepId, ...failed.map(({ name, message }) => `${name}: ${message}`)]
}

const steps = {
  signIn: ['signIn', 'refresh'],
  'createUser-suspend-reactivate': ['createUser', 'suspendUser', 'reactivateUser'],
  'createUser-deactivate': ['createUser', 'deactivateUser'],
  'createArticle-submit-reject': ['createArticle', 'submitArticle', 'rejectArticle'],
  'createArticle-submit-publish-archive': ['createArticle', 'submitArticle', 'publishArticle', 'archiveArticle'],
  'createWebhook-pause-resume': ['createWebhook', 'pauseWebhook', 'resumeWebhook'],
  'createOrder-pay': ['createOrder', 'payOrder'],
  'createOrder-cancel': ['createOrder', 'cancelOrder'],
}

withService('The workflows', (service) => {
  async function tokensOf(operations: Readonly<Record<string, ActorName>>): Promise<object> {
    const { idOf } = service().fixtures()
    const tokens = Object.entries(operations).map(async ([operation, actor]) => [
      `${operation}Token`,
      await service().token(await idOf(actor)),
    ])
    return Object.fromEntries(await Promise.all(tokens))
  }
  const tokens = () =>
    tokensOf({
      ...{ createUser: 'admin', suspendUser: 'admin', reactivateUser: 'admin', deactivateUser: 'admin' },
      ...{ createArticle: 'editor', submitArticle: 'editor', rejectArticle: 'other editor' },
      ...{ publishArticle: 'other editor', archiveArticle: 'admin' },
      ...{ createWebhook: 'viewer', pauseWebhook: 'viewer', resumeWebhook: 'viewer' },
      ...{ createOrder: 'viewer', payOrder: 'viewer', cancelOrder: 'viewer' },
    })
  async function inputs(email: string): Promise<object> {
    const phone = { name: 'Phone', category: 'phones', price: 1, currency: 'EUR', stock: 9 }
    const product = await service()
      .fixtures({ phone: { Product: phone } })
      .idOf('phone')
    const { body } = await service().send('GET /api/v2/users/me', { as: 'viewer' })
    return {
      ...(await tokens()),
      ...{ email: body.data.email, password },
      createUser: { name: 'Ada', email, password: 'correct horse' },
      createWebhook: { url: 'https://example.com/events', events: ['postCreated'] },
      createArticle: { title: 'On engines', body: 'They weave.' },
      createOrder: { items: [{ product_id: product, quantity: 1 }] },
    }
  }

  const read = async (version: string, name: string) =>
    (await service().client.send(`GET /api/${version}/${name}`)).body
  test('4.15.11 each can be run', async () => {
    const workflows = await read('v2', 'workflows.json')
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(await read('v2', 'openapi.json')))
    writeFileSync(join(folder, 'workflows.json'), JSON.stringify(workflows))
    const ids: readonly string[] = workflows.workflows.map((each: { workflowId: string }) => each.workflowId)
    // Each account has an address of its own.
    const [last, others] = [true, false].map((is) => ids.filter((id) => (id === 'createUser-deactivate') === is))
    const done = {
      ...(await runWorkflows(others!, service().url, await inputs('ada@example.com'))),
      ...(await runWorkflows(last!, service().url, await inputs('bob@example.com'))),
    }
    assert.deepEqual(done, steps)
  })
  for (const version of ['v1', 'v2'])
    test(`4.15.11 a linter has nothing against those of ${version}`, async () =>
      assert.deepEqual(await redoclyProblems(await read(version, 'workflows.json')), []))
})
