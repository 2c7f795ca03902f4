import { type Context, NoInput, query } from '~/server/operation'
import { newestBlock } from '~/server/trail/seal.server'
import { sealText } from '~/server/trail/trails'
import { isAdmin } from '~/shared/actor'

/** The newest seal of the audit trail, as `verify-audit --hash` takes it. Null before the first. */
export const newestSeal = query('audit.newestSeal', {
  reads: [],
  input: NoInput,
  allow: ({ actor }: Context) => isAdmin(actor),
  async run({ db }) {
    const block = await newestBlock(db)
    return block ? { seal: sealText(block), sealedAt: block.sealed_at } : null
  },
})
