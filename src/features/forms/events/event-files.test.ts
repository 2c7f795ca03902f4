import sharp from 'sharp'
import { expect } from 'vitest'
import { storage } from '~/server/storage.server'
import { newId } from '~/shared/id'
import { test } from '../../../../test/harness'
import type { makeFactories } from '../../../../test/factories'
import { saveEvent } from './event-answers.server'
import { getEventFile, nameFor, removeStrays, saveEventFile } from './event-files.server'
import { getEvent } from './events.server'

const aPdf = Buffer.from('%PDF-1.7\n%%EOF').toString('base64')
const aPhoto = async () => {
  const pixels = sharp({ create: { width: 3000, height: 10, channels: 3, background: '#808080' } })
  const secret = {
    IFD0: { Model: 'A camera', ImageDescription: 'At home' },
    IFD3: { GPSLatitudeRef: 'N' },
  }
  return (await pixels.jpeg().withExif(secret).toBuffer()).toString('base64')
}

async function scene(
  make: ReturnType<typeof makeFactories>,
  kinds = ['image/jpeg', 'application/pdf'],
) {
  const visit = await make.visit()
  const scan = {
    id: 'scan',
    name: 'Scan',
    description: '',
    required: false,
    fieldType: 'file',
    inputType: 'file',
    allowedMimeTypes: kinds,
    multiple: true,
    minItems: 0,
    maxItems: 2,
  }
  const form = await make.eventForm({ form_fields: JSON.stringify([scan]) })
  const event = { id: newId(), patient_id: visit.patient_id, visit_id: visit.id, form_id: form.id }
  const file = (content: string, more: object = {}) => ({
    id: newId(),
    event_id: event.id,
    visit_id: visit.id,
    field_id: 'scan',
    name: 'anything.exe',
    content,
    ...more,
  })
  return { visit, event, file }
}

test('a file is what its content says; a picture loses place and camera, and shrinks to what is readable', async ({
  make,
  asUser,
}) => {
  const { visit, event, file } = await scene(make)
  const me = asUser(await make.user(), {
    [visit.clinic_id]: ['can_view_history', 'can_edit_records'],
  })
  const [photo, pdf] = [file(await aPhoto()), file(aPdf)]
  expect(await saveEventFile(me, photo)).toMatchObject({
    mime_type: 'image/jpeg',
    name: 'anything.exe',
  })
  await saveEventFile(me, pdf)
  // the answer was lost, and the same request comes again
  await saveEventFile(me, pdf)
  await saveEvent(me, { ...event, answers: [{ fieldId: 'scan', value: [photo.id, pdf.id] }] })

  const { files, answers } = await getEvent(me, { id: event.id })
  expect(answers['scan']).toEqual([photo.id, pdf.id])
  expect(files).toHaveLength(2)
  const kept = await getEventFile(me, { id: photo.id })
  const facts = await sharp(Buffer.from(kept.content, 'base64')).metadata()
  expect(facts).toMatchObject({ format: 'jpeg', width: 2400 })
  expect(facts.exif).toBeUndefined()
})

test('a PDF may begin with a mark or an empty line, a WebP becomes a JPEG, and names say what they are', async ({
  make,
  asUser,
}) => {
  const { file } = await scene(make)
  const me = asUser(await make.user({ role: 'admin' }))
  const send = async (bytes: Buffer) =>
    (await saveEventFile(me, file(bytes.toString('base64')))).mime_type
  const pdf = Buffer.from(aPdf, 'base64')
  expect(await send(Buffer.concat([Buffer.from('\uFEFF'), pdf]))).toBe('application/pdf')
  expect(await send(Buffer.concat([Buffer.from('\r\n\n'), pdf]))).toBe('application/pdf')
  expect(await send(Buffer.concat([Buffer.alloc(1024, ' '), pdf]))).toBe('application/pdf')
  await expect(send(Buffer.concat([Buffer.alloc(1025, ' '), pdf]))).rejects.toMatchObject({
    fields: { content: { key: 'answers.notAFile' } },
  })
  const drawn = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
  expect(await send(await drawn.webp().toBuffer())).toBe('image/jpeg')
  expect(nameFor('page.jpg', 'application/pdf')).toBe('page.pdf')
  expect(nameFor('photo.webp', 'image/jpeg')).toBe('photo.jpg')
  expect(nameFor('photo.JPEG', 'image/jpeg')).toBe('photo.JPEG')
  expect(nameFor('anything.exe', 'image/png')).toBe('anything.exe.png')
})

test('what is no picture and no PDF is refused, whatever it is called', async ({ make, as }) => {
  const { file } = await scene(make)
  const send = (content: string) => saveEventFile(as('admin'), file(content, { name: 'scan.pdf' }))
  const bad = { fields: { content: { key: 'answers.notAFile' } } }
  for (const text of [
    '<script>alert(1)</script>',
    'GIF89a',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'x%PDF-1.7',
  ]) {
    await expect(send(Buffer.from(text).toString('base64'))).rejects.toMatchObject(bad)
  }
  await expect(send('not base64')).rejects.toMatchObject(bad)
  await expect(send('A'.repeat(15_000_000))).rejects.toMatchObject({
    fields: { content: { key: 'answers.fileTooLarge' } },
  })
})

test('an answer names only files that were sent for it, as many and of such kinds as the question takes', async ({
  make,
  asUser,
}) => {
  const { event, file } = await scene(make, ['image/png'])
  const admin = asUser(await make.user({ role: 'admin' }))
  const save = (...ids: string[]) =>
    saveEvent(admin, { ...event, answers: [{ fieldId: 'scan', value: ids }] })
  const refused = (key: string) => ({ fields: { scan: { key } } })
  await expect(save(newId())).rejects.toMatchObject(refused('answers.fileMissing'))
  const others = await make.eventFile(await make.event())
  await expect(save(others.id)).rejects.toMatchObject(refused('answers.fileMissing'))
  await expect(save(newId(), newId(), newId())).rejects.toMatchObject(
    refused('answers.tooManyFiles'),
  )
  await expect(save('../../etc/passwd')).rejects.toMatchObject(refused('validation.id'))
  const pdf = file(aPdf)
  await saveEventFile(admin, pdf)
  await expect(save(pdf.id)).rejects.toMatchObject(refused('answers.fileKindRefused'))
})

test('a file is for those who may read the history, and is sent by those who may write it', async ({
  make,
  as,
}) => {
  const event = await make.event()
  const { id } = await make.eventFile(event)
  const elsewhere = as('provider', {
    [(await make.clinic()).id]: ['can_view_history', 'can_edit_records'],
  })
  await expect(getEventFile(elsewhere, { id })).rejects.toMatchObject({ code: 'not_found' })
  const { file, visit } = await scene(make)
  await expect(saveEventFile(elsewhere, file(aPdf))).rejects.toMatchObject({ code: 'not_found' })
  const reader = as('provider', { [visit.clinic_id]: ['can_view_history'] })
  await expect(saveEventFile(reader, file(aPdf))).rejects.toMatchObject({ code: 'forbidden' })
})

test('a file is not attached to a form of another visit or another clinic', async ({
  make,
  asUser,
  db,
}) => {
  const { visit, event, file } = await scene(make)
  const me = asUser(await make.user(), {
    [visit.clinic_id]: ['can_view_history', 'can_edit_records'],
  })
  const ofClinic = await make.visit({ patient_id: visit.patient_id, clinic_id: visit.clinic_id })
  const own = await make.event({ patient_id: visit.patient_id, visit_id: ofClinic.id })
  for (const other of [await make.event(), own]) {
    await expect(saveEventFile(me, file(aPdf, { event_id: other.id }))).rejects.toMatchObject({
      text: { key: 'events.notFound' },
    })
    const files = db.selectFrom('event_files').select('id').where('event_id', '=', other.id)
    expect(await files.execute()).toEqual([])
  }
  await saveEventFile(me, file(aPdf))
  expect(event.visit_id).toBe(visit.id)
})

test('files of an unsaved form are removed after a week', async ({ make, db }) => {
  const [saved, stray, fresh] = [
    await make.eventFile(await make.event()),
    await make.eventFile({ ...(await make.event()), id: newId() }),
    await make.eventFile({ ...(await make.event()), id: newId() }),
  ]
  const lastMonth = new Date(Date.now() - 30 * 86_400_000)
  await db
    .updateTable('event_files')
    .set({ created_at: lastMonth })
    .where('id', 'in', [saved.id, stray.id])
    .execute()
  await removeStrays(db)
  const left = await db.selectFrom('event_files').select('id').execute()
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([saved.id, fresh.id]))
  expect(await storage().get(`event-files/${stray.id}.pdf`)).toBeNull()
  expect(await storage().get(`event-files/${saved.id}.pdf`)).not.toBeNull()
})
