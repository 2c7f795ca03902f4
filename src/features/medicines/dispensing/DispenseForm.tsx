import { Button, Group, Stack } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { EarlierDay } from '~/features/rules/earlier/EarlierDay'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { AllergiesFirst } from '~/features/care/banner/PatientBanner'
import type { GivenReason, GivenReasons } from '~/features/medicines/safety/second/given-reason'
import { overridesFrom } from '~/features/medicines/safety/OverrideReason'
import { answersAbout } from '~/features/medicines/safety/Answers'
import {
  warningsNeedingReason,
  SafetyPanel,
  unreasoned,
  WarningItems,
  warningsBelow,
} from '~/features/medicines/safety/SafetyPanel'
import {
  refusedSeconds,
  SecondPerson,
  withoutSeconds,
} from '~/features/medicines/safety/second/second-person'
import { isWarningAbout, type Warning } from '~/features/medicines/safety/rules/warning'
import { AppError, type Message } from '~/shared/errors'
import { isReason } from '~/shared/reason'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { useFormState } from '~/ui/form'
import { FormAlert } from '~/ui/FormAlert'
import {
  addsUp,
  atItems,
  type HandOut,
  needsReasonFor,
  toDispenseInput,
  reasonPath,
  initialHandOut,
  handOutQuantity,
} from './hand-out'
import { ItemToHandOut } from './ItemToHandOut'
import type { ToDispense } from './queue.server'

/** What stays when the form begins anew. */
type Kept = {
  reasons: GivenReasons
  allergiesReason: string
  day: string | null
  /** The refusal of the last save, and what had been handed out when it was sent. */
  refused: { text: Message; progress: string } | null
}
const NOTHING: Kept = { reasons: {}, allergiesReason: '', day: null, refused: null }

/**
 * Dispenses the chosen quantities of a prescription; warnings need a reason first. When another quantity has been
 * handed out, the choice begins anew: the reasons and the day stay, and what a save was refused for is still said.
 */
export function DispenseForm({ prescription }: { prescription: ToDispense }) {
  const [kept, setKept] = useState(NOTHING)
  const progress = prescription.items
    .map((item) => `${item.id} ${item.quantity_dispensed} ${item.item_status}`)
    .join()
  const { refused } = kept
  return (
    <Stack gap="md">
      {refused && refused.progress !== progress && (
        <div>
          <FormAlert texts={[refused.text]} lasting />
        </div>
      )}
      <ChoiceForm
        key={progress}
        prescription={prescription}
        kept={kept}
        onKeep={(next) =>
          setKept((all) => ({ ...all, ...(typeof next === 'function' ? next(all) : next) }))
        }
        onRefused={(text) => setKept((all) => ({ ...all, refused: text && { text, progress } }))}
      />
    </Stack>
  )
}

type ChoiceProps = {
  prescription: ToDispense
  kept: Kept
  onKeep: (next: Partial<Kept> | ((kept: Kept) => Partial<Kept>)) => void
  onRefused: (text: Message | null) => void
}

function ChoiceForm({ prescription, kept, onKeep, onRefused }: ChoiceProps) {
  const say = useSay()
  const router = useRouter()
  const [warnings, setWarnings] = useState<readonly Warning[]>(prescription.warnings)
  const [asksSecond, setAsksSecond] = useState(prescription.asksSecond)
  const [isAsked, setAsked] = useState(false)
  const { reasons, allergiesReason, day } = kept
  const today = useToday()
  const isEarlier = day !== null && day !== today
  const form = useFormState<Record<string, HandOut | undefined>>({
    start: () =>
      Object.fromEntries(prescription.items.map((item) => [item.id, initialHandOut(item)])),
    differs: () => false,
    validate: quantityErrors,
    isField: (path) =>
      path === 'allergies_reason' ||
      path === 'day' ||
      prescription.items.some(({ id }) => id === path || reasonPath(id) === path),
  })
  const { ref, values: chosen, errors, alert, isSaving } = form
  const { overrides } = prescription

  const parts = prescription.items.flatMap((item) => {
    const givenOut = chosen[item.id]
    return givenOut?.isChosen ? [{ item, handOut: givenOut }] : []
  })
  const concerned = warnings.filter((warning) =>
    isWarningAbout(
      warning,
      parts.map(({ item }) => item.drug_id),
    ),
  )
  const checked = prescription.items.filter(({ item_status }) => item_status !== 'cancelled')
  const answersOfItem = (item: (typeof checked)[number]) =>
    answersAbout(prescription.scope.medicines, item.drug_id, checked.indexOf(item))
  const placed = prescription.items.map(({ drug_id, item_status }) =>
    item_status === 'cancelled' ? undefined : drug_id,
  )
  const below = placed.map((_, at) => warningsBelow(concerned, placed, at))
  const shownBelow = new Set(below.flat())
  const asking = {
    stage: 'dispensing' as const,
    earlier: overrides,
    reasons,
    onReason: (key: string, reason: GivenReason) =>
      onKeep((all) => ({ reasons: { ...all.reasons, [key]: reason } })),
    isAsked,
  }
  const change = (itemId: string, values: Partial<HandOut>) => {
    const update = (all: typeof chosen) => {
      const givenOut = all[itemId]
      return givenOut ? { ...all, [itemId]: { ...givenOut, ...values } } : all
    }
    form.change(update, [itemId])
  }

  function quantityErrors(): Record<string, Message> {
    return Object.fromEntries(
      parts.flatMap(({ item, handOut: givenOut }): [string, Message][] => {
        const { quantity } = givenOut
        if (!(Number(quantity) > 0)) return [[item.id, { key: 'dispensing.quantityPositive' }]]
        if (Number(quantity) > item.left)
          return [[item.id, { key: 'dispensing.tooMuch', values: { left: item.left } }]]
        if (needsReasonFor(item, givenOut, isEarlier) && !isReason(givenOut.reason))
          return [[reasonPath(item.id), { key: 'dispensing.reasonRequired' }]]
        return addsUp(givenOut, isEarlier)
          ? []
          : [
              [
                item.id,
                {
                  key: 'dispensing.sumDiffers',
                  values: { sum: handOutQuantity(givenOut), quantity },
                },
              ],
            ]
      }),
    )
  }

  async function handOut() {
    onRefused(null)
    if (parts.length === 0) throw new AppError('invalid', { key: 'dispensing.nothingChosen' })
    if (unreasoned(concerned, overrides, reasons, 'dispensing').length > 0) throw reasonsNeeded()
    const needed = warningsNeedingReason(concerned, overrides, 'dispensing')
    const sent = {
      prescriptionId: prescription.id,
      items: parts.map((part) => toDispenseInput(part.item.id, part.handOut, isEarlier)),
      overrides: overridesFrom(reasons, needed),
      allergies_reason: allergiesReason || null,
      day,
    }
    const answer = await saveAsking((confirmed) =>
      api.dispensing.dispense({ ...sent, confirmed }),
    ).catch((error: unknown) => {
      onKeep((all) => ({
        reasons: withoutSeconds(all.reasons, refusedSeconds(error, sent.overrides)),
      }))
      if (!(error instanceof AppError)) throw error
      if (error.code === 'conflict') onRefused(error.text)
      const itemIds = sent.items.map(({ itemId }) => itemId)
      throw new AppError(error.code, error.text, atItems(error.fields, itemIds))
    })
    if (!answer.ok) {
      setAsksSecond(answer.asksSecond)
      // an allergy or a prescription was recorded in the meantime
      setWarnings((shown) => [
        ...shown.filter(({ key }) => !answer.warnings.some((w) => w.key === key)),
        ...answer.warnings,
      ])
      throw reasonsNeeded()
    }
    toast.success(
      say({ key: 'dispensing.handedOutDone', values: { patient: prescription.patient } }),
    )
    onKeep(NOTHING)
    await router.invalidate()
  }

  /** Marks the warnings that still need a reason. */
  function reasonsNeeded() {
    setAsked(true)
    return new AppError('invalid', { key: 'safety.needReasons' })
  }

  const isOver = prescription.items.every(({ due }) => due === 0)
  const second = asksSecond
    ? { patientId: prescription.patient_id, clinicId: prescription.pickup_clinic_id }
    : null

  return (
    <SecondPerson value={second}>
      <form
        ref={ref}
        onSubmit={(event) => void form.submit(event, handOut)}
        method="post"
        noValidate
      >
        <Stack gap="md">
          <FormAlert {...alert} />
          {prescription.asksAllergies && !isOver && (
            <AllergiesFirst
              reason={allergiesReason}
              onReason={(reason) => {
                onKeep({ allergiesReason: reason })
                form.change((all) => all, ['allergies_reason'])
              }}
              error={errors['allergies_reason'] && say(errors['allergies_reason'])}
              disabled={isSaving}
              onRecorded={() => router.invalidate()}
            />
          )}
          {!isOver && prescription.pickup_clinic_id && (
            <EarlierDay
              value={day}
              onChange={(next) => {
                onKeep({ day: next })
                form.change((all) => all, ['day'])
              }}
              clinicId={prescription.pickup_clinic_id}
              error={errors['day'] && say(errors['day'])}
              disabled={isSaving}
            />
          )}
          {prescription.items.map((item, at) => (
            <ItemToHandOut
              key={item.id}
              item={item}
              handOut={chosen[item.id]}
              answers={answersOfItem(item)}
              warnings={<WarningItems {...asking} warnings={below[at] ?? []} />}
              onChange={(values) => change(item.id, values)}
              error={errors[item.id]}
              reasonError={errors[reasonPath(item.id)]}
              disabled={isSaving}
              isEarlier={isEarlier}
            />
          ))}
          {parts.length > 0 && (
            <SafetyPanel
              {...asking}
              order={2}
              warnings={concerned.filter((warning) => !shownBelow.has(warning))}
              allergyState={prescription.allergyState}
              scope={prescription.scope}
              onRetry={() => void router.invalidate()}
            />
          )}
          {!isOver && (
            <Group>
              <Button type="submit" disabled={isSaving || parts.length === 0}>
                {say(isSaving ? 'prescriptions.saving' : 'dispensing.handOut')}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </SecondPerson>
  )
}
