import type { CompiledQuery, KyselyPlugin } from 'kysely'
import type { OpenContext } from '~/server/operation'

/** The context, and each statement that is executed with it. */
export function recording<C extends OpenContext>(
  ctx: C,
): {
  ctx: C
  statements: string[]
  compiled: CompiledQuery[]
} {
  const statements: string[] = []
  const executed: CompiledQuery[] = []
  // a subquery is transformed, too, but only a statement has a result
  const compiled = new WeakMap<object, CompiledQuery>()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      compiled.set(queryId, ctx.db.getExecutor().compileQuery(node, queryId))
      return node
    },
    async transformResult({ result, queryId }) {
      const statement = compiled.get(queryId)!
      statements.push(statement.sql)
      executed.push(statement)
      return result
    },
  }
  return { ctx: { ...ctx, db: ctx.db.withPlugin(plugin) }, statements, compiled: executed }
}
