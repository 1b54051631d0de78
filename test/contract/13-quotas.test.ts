// Quotas within one request, by a rule about a kept number and by a check that counts: for both faces, on both databases. (contract 13.4.3)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raceService } from '../support/race/domain.ts'
import { quota } from '../support/race/holders.ts'
import type { Depth } from '../support/race/tenants.ts'
import type { Fixtures } from '../support/rows/fixtures.ts'
import { withService } from '../support/server/service.ts'

const counts = [quota - 1, quota, quota + 1, 8]

for (const depth of [0, 2] as const satisfies readonly Depth[])
  withService(
    `13.4.3 Quotas in one request, ${depth} deep in a tenant`,
    (service) => {
      const begin = async () => {
        const place = depth === 0 ? {} : { area: '{area}' }
        const fixtures = service().fixtures({
          organization: { Organization: { name: 'O' } },
          membership: { Membership: { organization: '{organization}', user: '{admin}', role: 'OWNER' } },
          area: { Area: { organization: '{organization}' } },
          course: { Course: { ...place } },
        })
        if (depth > 0) await fixtures.idOf('membership')
        return fixtures
      }
      const storedOf = async (fixtures: Fixtures) => {
        const id = await fixtures.idOf('course')
        const all = await service().tables('seats', 'turns')
        return all.filter((row) => row.includes(id)).length
      }
      const send = (line: string, fixtures: Fixtures, body: unknown) =>
        service().send(line, { as: 'admin', fixtures, body })

      const ways = {
        'a batch by a rule': (fixtures: Fixtures, count: number) =>
          send('POST /api/v1/seats/batch', fixtures, { seats: Array(count).fill({ course_id: '{course}' }) }),
        'a batch by a check': (fixtures: Fixtures, count: number) =>
          send('POST /api/v1/turns/batch', fixtures, { turns: Array(count).fill({ course_id: '{course}' }) }),
        'children by a rule': (fixtures: Fixtures, count: number) =>
          send('PATCH /api/v1/courses/{course}', fixtures, { seats: Array(count).fill({}) }),
        'children by a check': (fixtures: Fixtures, count: number) =>
          send('PATCH /api/v1/courses/{course}', fixtures, { turns: Array(count).fill({}) }),
      }
      for (const [name, write] of Object.entries(ways))
        for (const count of counts)
          test(`13.4.3, 13.4.6 ${name}: ${count} for ${quota}`, async () => {
            const fixtures = await begin()
            const { status, text } = await write(fixtures, count)
            const isRefused = count > quota
            const refusal = name.endsWith('rule') ? 403 : 422
            assert.equal(status, isRefused ? refusal : name.startsWith('a batch') ? 201 : 200, text)
            assert.equal(await storedOf(fixtures), isRefused ? 0 : count)
          })

      test('13.1.3 children of several parents that are checked one after the other are 100 at most', async () => {
        const place = depth === 0 ? {} : { area_id: '{area}' }
        for (const [list, parents, status] of [
          ['turns', 49, 201],
          ['turns', 50, 201],
          ['turns', 51, 400],
          ['places', 51, 201],
        ] as const) {
          const courses = Array(parents).fill({ ...place, [list]: [{}, {}] })
          const answer = await send('POST /api/v1/courses/batch', await begin(), { courses })
          assert.equal(answer.status, status, answer.text)
          if (status !== 400) continue
          const [detail] = answer.body.error.details
          assert.deepEqual([detail.field, detail.target ?? detail.index ?? null], [`courses[50].turns`, null])
        }
      })

      for (const [plural, code] of [
        ['Seats', 'FORBIDDEN'],
        ['Turns', 'BUSINESS_RULE_VIOLATION'],
      ] as const)
        test(`13.4.3, 13.4.6 GraphQL: a batch of ${plural}`, async () => {
          for (const count of counts) {
            const fixtures = await begin()
            const inputs = Array(count).fill('{ courseId: "{course}" }').join(', ')
            const query = `mutation { create${plural}(input: { ${plural.toLowerCase()}: [${inputs}] }) { id } }`
            const { body } = await service().graphql(query, { as: 'admin', fixtures })
            assert.equal(body.errors?.[0]?.extensions.code, count > quota ? code : undefined, JSON.stringify(body))
            assert.equal(await storedOf(fixtures), count > quota ? 0 : count)
          }
        })
    },
    { definition: raceService(depth) },
  )
