// What is asked of every contender. Names are those of the table in README.md.

export interface Workload {
  readonly name: string
  readonly about: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body: string | null
  /** Whether a bearer token is sent. */
  readonly signedIn: boolean
  /** What a right answer must hold. */
  readonly expects: RegExp
  /** A request for the first of these ids is made for each of them in turn. */
  readonly ids: readonly string[]
}

export const isCreate = ({ name }: Workload): boolean => name === 'W6' || name === 'W7'

interface Asked {
  readonly signedIn?: boolean
  readonly ids?: readonly string[]
  readonly variables?: unknown
}
const graphql = (name: string, about: string, query: string, expects: RegExp, asked: Asked = {}): Workload => ({
  name,
  about,
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query, ...(asked.variables === undefined ? {} : { variables: asked.variables }) }),
  signedIn: asked.signedIn ?? false,
  expects,
  ids: asked.ids ?? [],
})
const rest = (name: string, about: string, path: string, expects: RegExp, asked: Asked = {}): Workload => ({
  name,
  about,
  method: 'GET',
  path,
  body: null,
  signedIn: asked.signedIn ?? false,
  expects,
  ids: asked.ids ?? [],
})

/** Records of the prepared data: a thousand posts and their authors. */
export interface Ids {
  readonly postIds: readonly string[]
  readonly authorIds: readonly string[]
}

export function workloads({ postIds, authorIds }: Ids): readonly Workload[] {
  const [[postId], [authorId]] = [postIds, authorIds]
  const post = JSON.stringify({ title: 'A new post', content: 'x'.repeat(400), tags: ['bench'] })
  const nested = '{ users(first:20){ edges{ node{ id name posts(limit:10){ id title tags author{ id name } } } } } }'
  const page =
    '{ posts(first:20){ edges{ cursor node{ id title author{ name } } } pageInfo{ hasNextPage endCursor } } }'
  const create = `mutation { createPost(input: { title: "A new post", content: "${'x'.repeat(400)}", tags: ["bench"] }) { id title } }`
  return [
    rest('W1', 'REST post by id', `/api/v2/posts/${postId}`, /"title":/, { ids: postIds }),
    rest('W1J', 'the same, bearer token verified', `/api/v2/posts/${postId}`, /"title":/, {
      ids: postIds,
      signedIn: true,
    }),
    rest(
      'W2',
      'REST list of one author, sorted',
      `/api/v2/posts?author_id=${authorId}&sort=-created_at&page=1`,
      /"total":/,
      { ids: authorIds },
    ),
    graphql(
      'W3',
      'GraphQL post by id',
      'query ($id: ID!) { post(id: $id) { id title content tags } }',
      /"post":\{"id"/,
      { ids: postIds, variables: { id: postId } },
    ),
    graphql('W4', 'GraphQL 20 users × 10 posts × author', nested, /"author":\{/),
    graphql('W5', 'GraphQL page of 20 posts + author', page, /"hasNextPage":true/),
    {
      name: 'W6',
      about: 'REST create',
      method: 'POST',
      path: '/api/v2/posts',
      body: post,
      signedIn: true,
      expects: /"title":"A new post"/,
      ids: [],
    },
    graphql('W7', 'GraphQL createPost', create, /"createPost":\{"id"/, { signedIn: true }),
  ]
}
