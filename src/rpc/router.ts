import { initTRPC, type TRPC_ERROR_CODE_KEY, TRPCError } from '@trpc/server'
import type { Turn } from '~/server/admission.server'
import type { AnyOperation, OpenContext } from '~/server/operation'
import { toShow } from '~/server/serve.server'
import { AppError, type ErrorCode } from '~/shared/errors'
import type { Language } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { operations } from './operations'

type RpcContext = {
  ctx: () => Promise<OpenContext>
  turn: Turn
  language: Language
  requestId: string
}

const codes: Record<ErrorCode, TRPC_ERROR_CODE_KEY> = {
  invalid: 'BAD_REQUEST',
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  too_many_requests: 'TOO_MANY_REQUESTS',
  unavailable: 'SERVICE_UNAVAILABLE',
}

const t = initTRPC.context<RpcContext>().create({
  /** Plain JSON: what went wrong as a sentence, and a sentence for each field, in the language the caller asks for. */
  errorFormatter({ shape, error, ctx }) {
    const { cause } = error
    const language = ctx?.language ?? 'en'
    const { stack: _, ...data } = shape.data
    if (!(cause instanceof AppError))
      return { ...shape, data: { ...data, requestId: ctx?.requestId } }
    const fields = Object.fromEntries(
      Object.entries(cause.fields).map(([name, text]) => [name, sentence(language, text)]),
    )
    return {
      ...shape,
      message: sentence(language, cause.text),
      data: { ...data, key: cause.text.key, fields, requestId: ctx?.requestId },
    }
  },
})

const toProcedure = (operation: AnyOperation) => {
  // tRPC must not check the input: the operation does, for every caller, with our own errors
  const procedure = t.procedure.input((raw: unknown) => raw)
  const call = async ({ ctx, input }: { ctx: RpcContext; input: unknown }) => {
    try {
      return await ctx.turn(async () => operation(await ctx.ctx(), input))
    } catch (error) {
      const shown = toShow(error, ctx.requestId)
      throw new TRPCError({
        code: shown instanceof AppError ? codes[shown.code] : 'INTERNAL_SERVER_ERROR',
        message: shown.message,
        cause: shown,
      })
    }
  }
  return operation.facts.kind === 'query' ? procedure.query(call) : procedure.mutation(call)
}

const nouns: Record<string, Record<string, ReturnType<typeof toProcedure>>> = {}
for (const [name, operation] of operations) {
  const [noun = '', verb = ''] = name.split('.')
  ;(nouns[noun] ??= {})[verb] = toProcedure(operation)
}

/** Every operation as `noun.verb`. */
export const router = t.router(nouns)
