import { Button, Group, Stack } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { toast } from 'sonner'
import { api } from '~/client/api'
import { overridesFrom, type Reasons } from '~/features/medicines/safety/OverrideReason'
import { needsReason, SafetyPanel, unreasoned } from '~/features/medicines/safety/SafetyPanel'
import { isAbout, type Warning } from '~/features/medicines/safety/rules/warning'
import { AppError, type Message } from '~/shared/errors'
import { type Sayable, useSay } from '~/shared/say'
import { explainUnsaved } from '~/client/explain'
import { FormAlert } from '~/ui/FormAlert'
import { focusOnBad } from '~/ui/focusOnBad'
import { returnFocusSoon } from '~/ui/focusTrail'
import { announceExpiry } from '~/client/expiry'
import { type HandOut, needsReasonFor, partOf, startOf, sumOf } from './hand-out'
import { ItemToHandOut } from './ItemToHandOut'
import type { ToDispense } from './queue.server'

/** Dispenses the chosen quantities of a prescription; warnings need a reason first. */
export function DispenseForm({ prescription }: { prescription: ToDispense }) {
  const say = useSay()
  const router = useRouter()
  const form = useRef<HTMLFormElement>(null)
  const [chosen, setChosen] = useState<Record<string, HandOut | undefined>>(() =>
    Object.fromEntries(prescription.items.map((item) => [item.id, startOf(item)])),
  )
  const [warnings, setWarnings] = useState<readonly Warning[]>(prescription.warnings)
  const [reasons, setReasons] = useState<Reasons>({})
  const [isAsked, setAsked] = useState(false)
  const [whole, setWhole] = useState<Sayable[]>([])
  const [complaints, setComplaints] = useState<Record<string, Message>>({})
  const [isSaving, setIsSaving] = useState(false)
  const { overrides } = prescription

  const parts = prescription.items.flatMap((item) => {
    const handOut = chosen[item.id]
    return handOut?.isChosen ? [{ item, handOut }] : []
  })
  const concerned = warnings.filter((warning) =>
    isAbout(
      warning,
      parts.map(({ item }) => item.drug_id),
    ),
  )
  const change = (itemId: string, values: Partial<HandOut>) => {
    setChosen((all) => {
      const handOut = all[itemId]
      return handOut ? { ...all, [itemId]: { ...handOut, ...values } } : all
    })
    setComplaints(({ [itemId]: _mended, ...others }) => others)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const found = Object.fromEntries(
      parts.flatMap(({ item, handOut }): [string, Message][] => {
        const { quantity } = handOut
        if (quantity === '' || quantity <= 0)
          return [[item.id, { key: 'dispensing.quantityPositive' }]]
        if (quantity > item.left)
          return [[item.id, { key: 'dispensing.tooMuch', values: { left: item.left } }]]
        if (needsReasonFor(item, handOut) && handOut.reason.trim().length < 3)
          return [[item.id, { key: 'dispensing.reasonRequired' }]]
        const sum = sumOf(handOut)
        return sum === quantity
          ? []
          : [[item.id, { key: 'dispensing.sumDiffers', values: { sum, quantity } }]]
      }),
    )
    setComplaints(found)
    if (parts.length === 0) return setWhole(['dispensing.nothingChosen'])
    if (Object.keys(found).length > 0) return askFor(['errors.invalid'])
    if (unreasoned(concerned, overrides, reasons, 'dispensing').length > 0) return askForReasons()
    setWhole([])
    setIsSaving(true)
    try {
      await handOut()
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') announceExpiry()
      const fields = error instanceof AppError ? Object.values(error.fields) : []
      setWhole([explainUnsaved(error), ...fields])
    } finally {
      setIsSaving(false)
      returnFocusSoon()
    }
  }

  async function handOut() {
    const needed = needsReason(concerned, overrides, 'dispensing')
    const answer = await api.dispensing.dispense({
      prescriptionId: prescription.id,
      items: parts.map((part) => partOf(part.item.id, part.handOut)),
      overrides: overridesFrom(reasons, needed),
    })
    if (!answer.ok) {
      // an allergy or a prescription was recorded in the meantime
      setWarnings((shown) => [
        ...shown.filter(({ key }) => !answer.warnings.some((w) => w.key === key)),
        ...answer.warnings,
      ])
      return askForReasons()
    }
    toast.success(
      say({ key: 'dispensing.handedOutDone', values: { patient: prescription.patient } }),
    )
    await router.invalidate()
  }

  function askForReasons() {
    setAsked(true)
    askFor(['safety.needReasons'])
  }

  function askFor(text: Sayable[]) {
    setWhole(text)
    focusOnBad(form.current)
  }
  const isOver = prescription.items.every(({ due }) => due === 0)
  return (
    <form ref={form} onSubmit={submit} method="post" noValidate>
      <Stack gap="md">
        <FormAlert texts={whole} />
        {prescription.items.map((item) => (
          <ItemToHandOut
            key={item.id}
            item={item}
            handOut={chosen[item.id]}
            onChange={(values) => change(item.id, values)}
            complaint={complaints[item.id]}
            disabled={isSaving}
          />
        ))}
        {parts.length > 0 && (
          <SafetyPanel
            order={2}
            warnings={concerned}
            allergyState={prescription.allergyState}
            dosesUnchecked={prescription.dosesUnchecked}
            scope={prescription.scope}
            stage="dispensing"
            earlier={overrides}
            reasons={reasons}
            onReason={(key, reason) => setReasons((all) => ({ ...all, [key]: reason }))}
            isAsked={isAsked}
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
  )
}
