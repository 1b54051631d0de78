// Intervals of records that must not overlap. (11.5)

import type { Define, Scene } from '../../kit/clause.ts'

/** Creates a record from one day to another, of the same thing. */
function booking({ subject }: Scene, same: string) {
  const { start, end, fields } = subject.profile.overlap!
  return async (from: string, to: string | null) => {
    const input = { ...(await subject.input()), ...Object.fromEntries(fields.map((field) => [field, same])) }
    return subject.post({ ...input, [start]: from, [end]: to })
  }
}

export function defineIntervals(define: Define): void {
  define('11.5.1', ['overlap', 'delete'], async (scene) => {
    const { kit, subject } = scene
    const book = booking(scene, kit.unique())
    const first = (await book('2027-03-01', '2027-03-05')).is(201)
    // The end is excluded, and without one the interval is endless.
    ;(await book('2027-03-05', '2027-03-08')).is(201)
    ;(await book('2027-02-01', null)).fails(409, 'CONFLICT')
    ;(await book('2027-03-08', null)).is(201)
    ;(await book('2030-01-01', '2030-01-02')).fails(409, 'CONFLICT')
    ;(await kit.send(`DELETE ${subject.path}/${first.data.id}`, { as: subject.creator })).is(204)
    ;(await book('2027-03-02', '2027-03-03')).is(201)
    ;(await booking(scene, kit.unique())('2027-03-02', '2027-03-03')).is(201)
  })

  define('11.5.2', ['overlap'], async (scene) => {
    const { kit, subject } = scene
    const { start, end, fields } = subject.profile.overlap!
    const book = booking(scene, kit.unique())
    ;(await book('2027-03-01', '2027-03-05')).is(201)
    const later = (await book('2027-03-05', '2027-03-08')).is(201)
    const refused = (await book('2027-03-04', '2027-03-06')).fails(409, 'CONFLICT')
    refused.has('details', refused.detailFields().toSorted(), [...fields, start, end].toSorted())
    const target = `${subject.path}/${later.data.id}`
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body: { [start]: '2027-03-04' } })).fails(
      409,
      'CONFLICT',
    )
    const read = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
    read.has(start, read.data[start], '2027-03-05')
  })

  define('11.5.4', ['overlap'], async (scene) => {
    const { start } = scene.subject.profile.overlap!
    const book = booking(scene, scene.kit.unique())
    for (const end of ['2027-03-01', '2027-02-28']) (await book('2027-03-01', end)).fails(422).names(start)
  })

  define('11.5.6', ['overlap'], async (scene) => {
    const book = booking(scene, scene.kit.unique())
    const answers = await Promise.all(Array.from({ length: 8 }, () => book('2027-03-01', '2027-03-05')))
    answers[0]!.has('records', answers.filter(({ status }) => status === 201).length, 1)
    for (const answer of answers) answer.is(201, 409)
  })
}
