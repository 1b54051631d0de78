import { every } from 'duet-api'
import { Article } from './article.ts'

const yearMs = 365 * 24 * 3_600_000

/** Each midnight, archives the articles that were written a year ago. A second attempt goes on where the first one ended. */
export const archive = every({ minutes: 1_440 }, 'archive', async ({ tick, asService: { records }, signal }) => {
  const old = tick.getTime() - yearMs
  for await (const { id, createdAt } of records.each(Article, {
    filter: { status: 'published' },
    sort: ['createdAt'],
  })) {
    if (createdAt.getTime() > old || signal.aborted) return
    await records.run(Article, id, 'archive')
  }
})
