import { useRouter } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { definitionErrors } from '~/features/reports/cells/definition'
import { invalid } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { differsAt } from '~/ui/corrected'
import type { FieldErrors } from '~/ui/form'
import { useKeptEditing, type KeptVersion } from '~/ui/keptEditing'
import { toCanonicalJson } from '../version-diff'
import { type DefinitionUpdater, toSavedDefinition, type DefinitionDraft } from './definition-draft'

export type InitialDefinition = KeptVersion & { body: DefinitionDraft }
type Values = { body: DefinitionDraft }

const differs = (a: Values, b: Values) => toCanonicalJson(a.body) !== toCanonicalJson(b.body)

/** The definition that is being edited. */
export function useDefinitionEditing(
  start: InitialDefinition,
  userId: string,
  suggested?: DefinitionDraft,
) {
  const say = useSay()
  const router = useRouter()
  const editing = useKeptEditing<Values>({
    name: `report-definition:${userId}`,
    version: start,
    values: { body: start.body },
    ...(suggested && { suggested: { body: suggested } }),
    differs,
    asksBeforeLeaving: false,
  })
  const { form, version, restored, begin, newest, forget, takeNewest, discard } = editing
  const { values, errors, alert, stale, isDirty, isSaving, change: changeValues } = form
  const draft = values.body
  const [sent, setSent] = useState<Values>(values)

  const change: DefinitionUpdater = useCallback(
    (next) => changeValues((current) => ({ body: next(current.body) }), []),
    [changeValues],
  )
  const { changeLater: changeValuesLater } = editing
  const changeLater: DefinitionUpdater = useCallback(
    (next) => changeValuesLater((current) => ({ body: next(current.body) })),
    [changeValuesLater],
  )

  async function save() {
    await form.save(async () => {
      const typed = await newest()
      setSent(typed)
      const body = toSavedDefinition(typed.body)
      const problems = definitionErrors(body)
      if (Object.keys(problems).length > 0) throw invalid(problems)
      const { id, last_modified } = version
      const saved = await api.reportDefinitions.save({
        id,
        last_modified: last_modified ?? null,
        body: body as never, // `definitionErrors` found it whole
      })
      forget()
      begin({ id, last_modified: saved.last_modified }, { body })
      toast.success(say('reportDefinitions.saved'))
      if (!last_modified)
        await router.navigate({
          to: '/app/reports/definitions/edit/{-$definitionId}',
          params: { definitionId: id },
          replace: true,
        })
      await router.invalidate()
    })
  }

  const openPaths = Object.keys(errors)
    .filter((path) => !differsAt(path.split('.'), sent, { body: draft }))
    .join('\n')
  // the same object until one is corrected: every row reads it
  const open: FieldErrors = useMemo(() => {
    const paths = new Set(openPaths.split('\n'))
    return Object.fromEntries(Object.entries(errors).filter(([path]) => paths.has(path)))
  }, [errors, openPaths])
  const areCorrected = Object.keys(errors).length > 0 && Object.keys(open).length === 0
  return {
    ref: form.ref,
    draft,
    change,
    changeLater,
    save,
    isDirty,
    isSaving,
    summary: areCorrected ? [] : alert.texts,
    stale,
    restored,
    errors: open,
    discard,
    takeNewest,
    /** The newest version is the base now: saving replaces it by what is shown. */
    keepMine: () => {
      const mine = draft
      takeNewest()
      change(() => mine)
    },
  }
}
