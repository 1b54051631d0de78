export const GET = (): Response => Response.json({ about: 'a route of Next' })
