// The bench's workloads in the words of each platform: the same records and columns, in the same order. Living records are
// asked for, as Duet finds them, which also lets the same indexes serve them.

import type { Ids, Workload } from '../workloads.ts'

/** What a platform is asked for a workload; nothing where it has no such API. */
export type Asked = Readonly<Record<string, Pick<Workload, 'path' | 'body'> | undefined>>

const content = 'x'.repeat(400)
const graphql = (query: string, variables: unknown = {}) => ({
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
})
const rest = (path: string, body: unknown = null) => ({ path, body: body === null ? null : JSON.stringify(body) })

/** `tags` is a new post's: SQLite has no arrays, and the platform knows its JSON only as a text. */
export function askPlatformatic({ postIds, authorIds }: Ids, tags: readonly string[] | string): Asked {
  const [[postId], [authorId]] = [postIds, authorIds]
  const fields = 'fields=id,title,content,tags,authorId,publishedAt,createdAt,updatedAt'
  const ofAuthor = `where.authorId.eq=${authorId}&where.deletedAt.eq=null`
  const sorted = 'orderby.createdAt=desc&orderby.id=desc&limit=20&totalCount=true'
  const newest =
    'orderBy: [{ field: createdAt, direction: DESC }, { field: id, direction: DESC }], where: { deletedAt: { isNull: true } }'
  const posts = `posts(limit: 10, ${newest}) { id title tags author { id name } }`
  const post = `title: "A new post", content: "${content}", tags: ${JSON.stringify(tags)}, authorId: "${authorId}"`
  return {
    W1: rest(`/posts/${postId}?${fields}`),
    W2: rest(`/posts?${ofAuthor}&${sorted}&${fields}`),
    W3: graphql('query ($id: ID!) { post: getPostById(id: $id) { id title content tags } }', { id: postId }),
    W4: graphql(`{ users(limit: 20, ${newest}) { id name ${posts} } }`),
    W5: graphql(`{ posts(limit: 20, ${newest}) { id title author { name } } }`),
    W6: rest(`/posts?${fields}`, { title: 'A new post', content, tags, authorId, version: 1 }),
    W7: graphql(`mutation { createPost: savePost(input: { ${post} }) { id title } }`),
  }
}

export function askPostGraphile({ postIds, authorIds }: Ids): Asked {
  const [[postId], [authorId]] = [postIds, authorIds]
  const newest = 'orderBy: [CREATED_AT_DESC, ROW_ID_DESC], condition: { deletedAt: null }'
  const author = 'author: userByAuthorId { id: rowId name }'
  const posts = `posts: postsByAuthorId(first: 10, ${newest}) { nodes { id: rowId title tags ${author} } }`
  const edges = 'edges { cursor node { id: rowId title author: userByAuthorId { name } } }'
  const post = `title: "A new post", content: "${content}", tags: ["bench"], authorId: "${authorId}"`
  return {
    W3: graphql('query ($id: String!) { post: postByRowId(rowId: $id) { id: rowId title content tags } }', {
      id: postId,
    }),
    W4: graphql(`{ users: allUsers(first: 20, ${newest}) { edges { node { id: rowId name ${posts} } } } }`),
    W5: graphql(`{ posts: allPosts(first: 20, ${newest}) { ${edges} pageInfo { hasNextPage endCursor } } }`),
    W7: graphql(`mutation { createPost(input: { post: { ${post} } }) { post { id: rowId title } } }`),
  }
}

/** The records of an answer without what each API wraps around them, so that they can be compared. */
export function records(answer: unknown, isNew: boolean): unknown {
  if (Array.isArray(answer)) return answer.map((each) => records(each, isNew))
  if (typeof answer === 'string') return plain(answer)
  if (answer === null || typeof answer !== 'object') return answer
  const object = answer as Readonly<Record<string, unknown>>
  const wrapped = ['data', 'edges', 'nodes', 'node', 'post'].map((name) => object[name]).find((value) => value != null)
  if (wrapped !== undefined) return records(wrapped, isNew)
  // Platformatic answers a new record with all of its columns.
  const left = new Set(isNew ? ['id', 'createdAt', 'updatedAt', 'version', 'deletedAt'] : [])
  const entries = Object.entries(object).map(([name, value]) => [camelCase(name), records(value, isNew)] as const)
  return Object.fromEntries(entries.filter(([name]) => !left.has(name)))
}

/** Lists that are texts in SQLite, and moments, as JavaScript has them. */
function plain(text: string): unknown {
  if (text.startsWith('["')) return JSON.parse(text)
  return /^\d{4}-\d\d-\d\dT/.test(text) ? new Date(text).toISOString() : text
}
function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
