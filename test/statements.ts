import type { KyselyPlugin } from 'kysely'
import type { Context } from '~/server/operation'

/** The context, and the SQL of each statement that is executed with it. */
export function recording(ctx: Context): { ctx: Context; statements: string[] } {
  const statements: string[] = []
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      statements.push(ctx.db.getExecutor().compileQuery(node, queryId).sql)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  return { ctx: { ...ctx, db: ctx.db.withPlugin(plugin) }, statements }
}
