// What Platformatic has no words for, as routes with SQL that its user writes.

const first20 = 'order by p.created_at desc, p.id desc limit 20'

/** A plugin of its server. */
export default async function byHand(app) {
  const { db, sql } = app.platformatic
  app.get('/by-hand/alternatives', ({ query: { title, name } }) =>
    db.query(
      sql`select p.id, p.title from posts p join users u on u.id = p.author_id
        where p.deleted_at is null and (p.title like ${`${title}%`} or u.name = ${name}) ${sql.__dangerous__rawValue(first20)}`,
    ),
  )
  app.get('/by-hand/months', () =>
    db.query(
      sql`select to_char(created_at at time zone 'UTC', 'YYYY-MM') as created_at, count(*)::integer as count
        from posts where deleted_at is null group by 1 order by 1`,
    ),
  )
  app.get('/by-hand/search', ({ query: { words } }) =>
    db.query(
      sql`select p.id, p.title from posts p where to_tsvector('simple', p.title || ' ' || p.content) @@ plainto_tsquery('simple', ${words})
        and p.deleted_at is null ${sql.__dangerous__rawValue(first20)}`,
    ),
  )
}
