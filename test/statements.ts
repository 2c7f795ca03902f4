import type { KyselyPlugin } from 'kysely'
import type { Context } from '~/server/operation'

/** The context, and the SQL of each statement that is executed with it. */
export function recording(ctx: Context): { ctx: Context; statements: string[] } {
  const statements: string[] = []
  // a subquery is transformed, too, but only a statement has a result
  const compiled = new WeakMap<object, string>()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      compiled.set(queryId, ctx.db.getExecutor().compileQuery(node, queryId).sql)
      return node
    },
    async transformResult({ result, queryId }) {
      statements.push(compiled.get(queryId)!)
      return result
    },
  }
  return { ctx: { ...ctx, db: ctx.db.withPlugin(plugin) }, statements }
}
