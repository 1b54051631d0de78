// Five questions in the words of Duet and of each platform: the same records in the same order. What a platform has no words for
// is asked of it by SQL that its user writes: `by-hand.ts`, and the function `search_posts`.

import type { Workload } from '../workloads.ts'
import type { Asked } from './workloads.ts'

const graphql = (query: string) => ({ path: '/graphql', body: JSON.stringify({ query }) })
const authors = 5
/** What is searched: a word that all posts have, and one that every 97th has. */
const found = 'fox word13'

/** What stands for the first of them when it is asked again: no two clients ask for the same. */
const from = (first: number): readonly string[] => Array.from({ length: 80 }, (_, at) => String(first + at))
const words = Array.from({ length: 80 }, (_, at) => `word${at + 13}`)

export function questions(authorIds: readonly string[]): readonly Workload[] {
  const question = (name: string, about: string, query: string, ids: readonly string[] = []): Workload => ({
    ...graphql(query),
    name,
    about,
    method: 'POST',
    signedIn: false,
    expects: /^(?!.*"errors":)/s,
    ids,
  })
  const posts = (more: string) => `{ posts(first: 20, ${more}) { nodes { id title } } }`
  const among = JSON.stringify(authorIds.slice(0, authors))
  return [
    question('Q1', 'in a list, newest first', posts(`where: { authorId: { in: ${among} } }`), [
      authorIds[0]!,
      ...authorIds.slice(authors),
    ]),
    question(
      'Q2',
      'a title, or over a relation',
      posts('where: { or: [{ title: { startsWith: "Post 77 " } }, { author: { name: { eq: "User 701" } } }] }'),
      from(701),
    ),
    question(
      'Q3',
      'prefix and sort',
      posts('where: { title: { startsWith: "Post 120" } }, sort: [TITLE_ASC]'),
      from(120),
    ),
    question('Q4', 'group by month', '{ postSummary(groupBy: [CREATED_AT_MONTH]) { nodes { createdAt count } } }'),
    question('Q5', 'text search, newest first', posts('search: "fox \\"word13\\"", sort: [CREATED_AT_DESC]'), words),
  ]
}

const rest = (path: string) => ({ path, body: null, method: 'GET' as const })

/** The same of Duet's REST API, which is compared with a REST API. */
export function restQuestions(authorIds: readonly string[]): Asked {
  const posts = (more: string) => rest(`/api/v2/posts?${more}&limit=20&fields=id,title`)
  const where = (text: string) => `where=${encodeURIComponent(text)}`
  const among = authorIds.slice(0, authors).map((id) => `"${id}"`)
  return {
    Q1: posts(where(`author_id IN (${among.join(', ')})`)),
    Q2: posts(where('startsWith(title, "Post 77 ") OR author.name = "User 701"')),
    Q3: posts(`${where('startsWith(title, "Post 120")')}&sort=title`),
    Q4: rest('/api/v2/posts/summary?group_by=created_at:month'),
    Q5: posts(`q=${encodeURIComponent('fox "word13"')}&sort=-created_at`),
  }
}

export function platformaticQuestions(authorIds: readonly string[]): Asked {
  const posts = 'limit=20&fields=id,title&where.deletedAt.eq=null'
  const newest = 'orderby.createdAt=desc&orderby.id=desc'
  return {
    Q1: rest(`/posts?where.authorId.in=${authorIds.slice(0, authors).join(',')}&${newest}&${posts}`),
    Q2: rest('/by-hand/alternatives?title=Post+77+&name=User+701'),
    Q3: rest(`/posts?where.title.like=Post+120%25&orderby.title=asc&orderby.id=asc&${posts}`),
    Q4: rest('/by-hand/months'),
    Q5: rest(`/by-hand/search?words=${found.replace(' ', '+')}`),
  }
}

export function postGraphileQuestions(authorIds: readonly string[]): Asked {
  const living = 'deletedAt: { isNull: true }'
  const posts = (filter: string, order: string) =>
    graphql(
      `{ posts: allPosts(first: 20, orderBy: ${order}, filter: { ${filter}, ${living} }) { nodes { id: rowId title } } }`,
    )
  const newest = '[CREATED_AT_DESC, ROW_ID_DESC]'
  const among = JSON.stringify(authorIds.slice(0, authors))
  const either = '{ title: { startsWith: "Post 77 " } }, { userByAuthorId: { name: { equalTo: "User 701" } } }'
  return {
    Q1: posts(`authorId: { in: ${among} }`, newest),
    Q2: posts(`or: [${either}]`, newest),
    Q3: posts('title: { startsWith: "Post 120" }', '[TITLE_ASC, ROW_ID_ASC]'),
    Q4: graphql(
      `{ posts: allPosts(filter: { ${living} }) { nodes: groupedAggregates(groupBy: [CREATED_AT_TRUNCATED_TO_MONTH]) { keys distinctCount { rowId } } } }`,
    ),
    Q5: graphql(`{ posts: searchPosts(words: "${found}", first: 20) { nodes { id: rowId title } } }`),
  }
}

/** What each platform works on: the tables that are asked, without what Duet searches by, and what somebody would write to search. */
export const searchedForPlatforms = `
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not in ('users', 'posts') loop
      execute format('drop table %I cascade', name);
    end loop;
    for name in select column_name from information_schema.columns where table_schema = 'public' and table_name = 'posts'
      and column_name not in ('id', 'title', 'content', 'author_id', 'published_at', 'created_at', 'updated_at', 'deleted_at', 'version') loop
      execute format('alter table posts drop column %I cascade', name);
    end loop;
  end $$;
  create index posts_words on posts using gin (to_tsvector('simple', title || ' ' || content)) with (fastupdate = off)
    where deleted_at is null;
  create function search_posts(words text) returns setof posts language sql stable as $$
    select * from posts where to_tsvector('simple', title || ' ' || content) @@ plainto_tsquery('simple', words)
      and deleted_at is null order by created_at desc, id desc $$;
`
