// A relation whose default is the actor: whoever creates a record is in it, unless the client may say, and says, who else.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { actor, anyone, nobody, one, optional, own, resource, service, signedIn, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

/** Whoever reports it cannot be chosen; who does it can. */
const Task = resource('Task', {
  prefix: 'tsk',
  fields: {
    title: text({ max: 50 }),
    reporter: one('User', { cascade: 'regardless', default: actor }),
    doer: one('User', { cascade: 'regardless', default: actor }),
    helper: optional(one('User', { default: actor })),
  },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn,
      accept: ['title', 'doer', 'helper'],
      check: ({ input, actor }) =>
        input.title !== 'mine' || input.doer === actor.id || 'What is called mine is done by oneself.',
      effect: async ({ input, records }) => {
        if (input.title === 'noted') await records.create(Note, { words: 'noted' } as never)
      },
    },
    update: { allow: own('reporter'), accept: ['title', 'doer', 'helper'] },
  },
})
/** Anyone may write one; it has an author where somebody is signed in. */
const Note = resource('Note', {
  prefix: 'not',
  fields: { words: text({ max: 50 }), author: optional(one('User', { default: actor })) },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['words'] }, delete: { allow: nobody } },
})
const definition = service({
  resources: { User, Task, Note },
  accounts,
  roles: { ANY: {} },
})

withService(
  'a relation whose default is the actor',
  (running) => {
    const people = () => running().fixtures({ ann: { User: {} }, ben: { User: {} } })
    type Fixtures = ReturnType<typeof people>
    /** The same create through both faces; answers the ids of those in the new task, or the code of the failure. */
    const faces = {
      REST: async (fixtures: Fixtures, input: { title: string; doer?: string; helper?: string | null }) => {
        const { title, doer, helper } = input
        const body = { title, ...(doer && { doer_id: doer }), ...(helper !== undefined && { helper_id: helper }) }
        const { body: answer } = await running().send('POST /api/v1/tasks', { as: '{ann}', fixtures, body })
        const { data, error } = answer
        return data ? [data.reporter_id, data.doer_id, data.helper_id] : error.code
      },
      GraphQL: async (fixtures: Fixtures, input: { title: string; doer?: string; helper?: string | null }) => {
        const { title, doer, helper } = input
        const variables = {
          input: { title, ...(doer && { doerId: doer }), ...(helper !== undefined && { helperId: helper }) },
        }
        const create = `mutation ($input: CreateTaskInput!) {
          createTask(input: $input) { reporter { id } doer { id } helper { id } } }`
        const { data, errors } = (await running().graphql(create, { as: '{ann}', fixtures, variables })).body
        const task = data?.createTask
        return task ? [task.reporter.id, task.doer.id, task.helper?.id ?? null] : errors[0].extensions.code
      },
    }
    for (const [face, create] of Object.entries(faces))
      describe(face, () => {
        test('fills in the caller who creates the record', async () => {
          const fixtures = people()
          const ann = await fixtures.idOf('ann')
          assert.deepEqual(await create(fixtures, { title: 'A' }), [ann, ann, ann])
        })
        test('takes what is sent where an action accepts the field', async () => {
          const fixtures = people()
          const [ann, ben] = [await fixtures.idOf('ann'), await fixtures.idOf('ben')]
          assert.deepEqual(await create(fixtures, { title: 'A', doer: ben, helper: null }), [ann, ben, null])
        })
        test('shows check the actor as the input that was left out', async () => {
          const fixtures = people()
          const [ann, ben] = [await fixtures.idOf('ann'), await fixtures.idOf('ben')]
          assert.deepEqual(await create(fixtures, { title: 'mine' }), [ann, ann, ann])
          assert.equal(await create(fixtures, { title: 'mine', doer: ben }), 'BUSINESS_RULE_VIOLATION')
        })
      })

    test('cannot be sent where no action accepts the field', async () => {
      const fixtures = people()
      const body = { title: 'A', reporter_id: await fixtures.idOf('ben') }
      const { status, body: answer } = await running().send('POST /api/v1/tasks', { as: '{ann}', fixtures, body })
      assert.deepEqual(
        [status, answer.error.details],
        [400, [{ field: 'reporter_id', message: 'There is no such field.' }]],
      )
    })

    test('an anonymous caller is 401, and null where the relation is optional and anyone may', async () => {
      const { status } = await running().send('POST /api/v1/tasks', { body: { title: 'A' } })
      assert.equal(status, 401)
      const { body } = await running().send('POST /api/v1/notes', { body: { words: 'A' } })
      assert.equal(body.data.author_id, null)
      const fixtures = people()
      const mine = await running().send('POST /api/v1/notes', { as: '{ann}', fixtures, body: { words: 'A' } })
      assert.equal(mine.body.data.author_id, await fixtures.idOf('ann'))
    })

    test('a PUT must name the account, since it creates nothing', async () => {
      const fixtures = running().fixtures({
        ann: { User: {} },
        task: { Task: { title: 'A', reporter: '{ann}', doer: '{ann}', helper: '{ann}' } },
      })
      const replace = async (body: object) =>
        (await running().send('PUT /api/v1/tasks/{task}', { as: '{ann}', fixtures, body })).body
      const { error } = await replace({ title: 'B' })
      assert.deepEqual(error.details, [{ field: 'doer_id', message: 'Is required.' }])
      const { data } = await replace({ title: 'B', doer_id: await fixtures.idOf('ann') })
      assert.deepEqual([data.title, data.helper_id], ['B', null])
    })

    test('an effect that creates a record for the actor may leave it out', async () => {
      const fixtures = people()
      await running().send('POST /api/v1/tasks', { as: '{ann}', fixtures, body: { title: 'noted' } })
      const { body } = await running().send('GET /api/v1/notes?limit=1')
      assert.deepEqual([body.data[0].words, body.data[0].author_id], ['noted', await fixtures.idOf('ann')])
    })

    test('the documents of both faces do not demand it, and demand it of a PUT', async () => {
      const { body } = await running().client.send('GET /api/v1/openapi.json')
      const { CreateTask, ReplaceTask } = body.components.schemas
      assert.deepEqual(Object.keys(CreateTask.properties), ['title', 'doer_id', 'helper_id'])
      assert.deepEqual([CreateTask.required, ReplaceTask?.required], [['title'], ['title', 'doer_id']])
      const { data } = (
        await running().graphql('{ __type(name: "CreateTaskInput") { inputFields { name type { kind } } } }')
      ).body
      assert.deepEqual(
        data.__type.inputFields.map((each: { name: string; type: { kind: string } }) => [each.name, each.type.kind]),
        [
          ['title', 'NON_NULL'],
          ['doerId', 'SCALAR'],
          ['helperId', 'SCALAR'],
        ],
      )
    })
  },
  { definition },
)
