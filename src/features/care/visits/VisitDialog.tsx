import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { use, useEffect, useEffectEvent, useState } from 'react'
import { toast } from 'sonner'
import { useTimeZone } from 'use-intl'
import { api } from '~/client/api'
import type { Option } from '~/fields/field'
import { visitRecord } from '~/records/visit'
import { type Actor, mayIn } from '~/shared/actor'
import { AppError, invalid, type Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { momentAt, wallTime } from '~/shared/zone'
import { Dialog } from '~/ui/Dialog'
import { explain } from '~/client/explain'
import { FieldForm } from '~/ui/FieldForm'
import { FormContext, FormField } from '~/ui/FormField'
import { MomentInput } from '~/ui/MomentInput'
import { PageSkeleton } from '~/ui/PageSkeleton'
import type { OpenVisit } from './visits.server'

type Props = { patientId: string; visit?: OpenVisit; actor: Actor; onClose: () => void }

const asOption = ({ id, name }: { id: string; name: string }): Option => ({
  value: id,
  label: { text: name },
})

/** Opens a visit, suggested for now and the user's own clinic, or corrects one. */
export function VisitDialog({ patientId, visit, actor, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  const timeZone = useTimeZone() ?? 'UTC'
  const [id] = useState(() => visit?.id ?? newId())
  const [choices, setChoices] = useState<{ clinic_id: Option[] }>()
  const [when, setWhen] = useState(() =>
    wallTime(visit?.check_in_timestamp ?? new Date(), timeZone),
  )
  const [whenWrong, setWhenWrong] = useState<Message>()

  useEffect(() => {
    const load = async () => {
      const clinics = await api.clinics.names()
      setChoices({
        clinic_id: clinics.filter(({ id }) => mayIn(actor, 'can_edit_records', id)).map(asOption),
      })
    }
    load().catch((error: unknown) => {
      toast.error(say(explain(error).text))
      onClose()
    })
  }, [actor, say, onClose])

  const [only] = choices?.clinic_id ?? []
  const home =
    choices?.clinic_id.find(({ value }) => value === actor.clinicId) ??
    (choices?.clinic_id.length === 1 ? only : undefined)
  return (
    <Dialog onClose={onClose} title={say(visit ? 'visits.edit' : 'visits.open')}>
      {choices ? (
        <FieldForm
          fields={visitRecord.fields}
          values={visit}
          suggested={{
            clinic_id: home?.value,
            provider_id: actor.role === 'provider' ? actor.userId : null,
          }}
          options={choices}
          submit={visit ? 'common.save' : 'visits.open'}
          cancel={
            <Button variant="default" onClick={onClose}>
              {say('common.cancel')}
            </Button>
          }
          onSubmit={async (values) => {
            const unchanged = visit && wallTime(visit.check_in_timestamp, timeZone) === when
            const check_in_timestamp = unchanged
              ? visit.check_in_timestamp
              : momentAt(when, timeZone)
            try {
              if (!check_in_timestamp)
                throw invalid({ check_in_timestamp: { key: 'visits.notATime' } })
              await api.visits.save({
                id,
                patient_id: patientId,
                last_modified: visit?.last_modified,
                check_in_timestamp,
                ...values,
              })
            } catch (error) {
              setWhenWrong(
                error instanceof AppError ? error.fields['check_in_timestamp'] : undefined,
              )
              throw error
            }
            await router.invalidate()
            toast.success(say(visit ? 'common.saved' : 'visits.openedDone'))
            onClose()
          }}
        >
          {(Field) => (
            <>
              <Field name="clinic_id" />
              <Provider visit={visit} />
              <MomentInput
                label="visits.checkIn"
                value={when}
                onChange={setWhen}
                error={whenWrong}
              />
              <Field name="reason" />
            </>
          )}
        </FieldForm>
      ) : (
        <PageSkeleton />
      )}
    </Dialog>
  )
}

/** Users who may edit records in the chosen clinic, and the provider whom the visit has there already. */
function Provider({ visit }: { visit?: OpenVisit }) {
  const form = use(FormContext)
  const clinicId = form?.draft['clinic_id']
  const [loaded, setLoaded] = useState<{ of: unknown; users: Option[] }>()
  useEffect(() => {
    if (typeof clinicId !== 'string') return
    let isCurrent = true
    api.users
      .names({ clinicId, permission: 'can_edit_records' })
      .then((users) => isCurrent && setLoaded({ of: clinicId, users: users.map(asOption) }))
      // without the list only the visit's own provider is offered; the server checks the provider on saving
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [clinicId])

  const users = loaded?.of === clinicId ? loaded?.users : undefined
  const { provider_id, provider_name, clinic_id } = visit ?? {}
  const isMissing =
    provider_id && clinic_id === clinicId && !users?.some(({ value }) => value === provider_id)
  const kept = isMissing ? [{ value: provider_id, label: { text: provider_name ?? '—' } }] : []
  const offered = [...kept, ...(users ?? [])]

  const leaveBehind = useEffectEvent(() => {
    const chosen = form?.draft['provider_id']
    if (chosen && !offered.some(({ value }) => value === chosen)) form?.change('provider_id', null)
  })
  const arrivedFor = loaded?.of
  useEffect(() => {
    if (arrivedFor) leaveBehind()
  }, [arrivedFor])
  return <FormField name="provider_id" options={offered} />
}
