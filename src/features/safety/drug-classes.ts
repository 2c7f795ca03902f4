/**
 * Classes within which an allergy to one member speaks against the others. Members are by the WHO's ATC index
 * (https://www.whocc.no/atc_ddd_index/), under their INN; the ATC groups are named beside each class.
 */
const members = {
  // J01CA, CE, CF, CR
  penicillins: `amoxicillin ampicillin bacampicillin benzylpenicillin phenoxymethylpenicillin cloxacillin dicloxacillin
    flucloxacillin oxacillin nafcillin methicillin mecillinam pivmecillinam piperacillin ticarcillin temocillin azlocillin
    mezlocillin carbenicillin sultamicillin`,
  // J01DB, DC, DD, DE, DI
  cephalosporins: `cefalexin cefadroxil cefazolin cefradine cefalotin cefaclor cefuroxime cefprozil cefoxitin cefotetan
    cefmetazole cefixime cefotaxime ceftriaxone ceftazidime cefpodoxime cefdinir cefditoren ceftibuten cefoperazone cefepime
    cefpirome ceftaroline ceftobiprole cefiderocol ceftolozane`,
  // J01DH
  carbapenems: 'meropenem imipenem ertapenem doripenem tebipenem',
  // J01E without trimethoprim; sulfasalazine (A07EC01) is split into sulfapyridine in the gut
  sulfonamides: `sulfamethoxazole sulfadiazine sulfadoxine sulfamerazine sulfadimidine sulfafurazole sulfaguanidine
    sulfacetamide sulfapyridine sulfasalazine sulfisoxazole`,
  // M01A without the coxibs, N02BA, N02BB02: whoever reacts to one by COX-1 reacts to all
  nsaids: `acetylsalicylic_acid mefenamic_acid tolfenamic_acid tiaprofenic_acid salsalate diflunisal choline_salicylate
    ibuprofen diclofenac naproxen ketoprofen dexketoprofen indometacin piroxicam meloxicam tenoxicam lornoxicam ketorolac
    aceclofenac etodolac sulindac flurbiprofen nabumetone nimesulide oxaprozin metamizole`,
  // J01FA
  macrolides: 'erythromycin clarithromycin azithromycin roxithromycin spiramycin josamycin telithromycin',
  // J01MA
  fluoroquinolones:
    'ciprofloxacin levofloxacin ofloxacin moxifloxacin norfloxacin gemifloxacin gatifloxacin delafloxacin',
  // J01A
  tetracyclines: 'doxycycline tetracycline minocycline oxytetracycline lymecycline tigecycline demeclocycline',
  // J01G
  aminoglycosides: 'gentamicin amikacin tobramycin streptomycin neomycin kanamycin netilmicin paromomycin',
  // P01AB, J01XD
  nitroimidazoles: 'metronidazole tinidazole secnidazole ornidazole benznidazole',
  // N02A, R05DA
  opioids: `morphine codeine dihydrocodeine hydromorphone oxycodone hydrocodone oxymorphone tramadol tapentadol pethidine
    fentanyl methadone buprenorphine nalbuphine`,
  // C09A: angio-oedema
  ace_inhibitors: `captopril enalapril lisinopril ramipril perindopril quinapril fosinopril benazepril trandolapril
    cilazapril zofenopril`,
  // N03A, those with an aromatic ring
  aromatic_antiepileptics:
    'phenytoin fosphenytoin carbamazepine oxcarbazepine eslicarbazepine phenobarbital primidone lamotrigine',
  // N01BB
  amide_anaesthetics: 'lidocaine bupivacaine levobupivacaine mepivacaine prilocaine articaine ropivacaine',
} as const

export type DrugClass = keyof typeof members
export const DRUG_CLASSES = Object.keys(members) as DrugClass[]

const listed = (text: string) => text.split(/\s+/).map((name) => name.replaceAll('_', ' '))

export const membersOf: Readonly<Record<DrugClass, readonly string[]>> = Object.fromEntries(
  Object.entries(members).map(([name, text]) => [name, listed(text)]),
) as never

export const classesOf = (ingredient: string): DrugClass[] =>
  DRUG_CLASSES.filter((name) => membersOf[name].includes(ingredient))

/**
 * Classes that share a structure: an allergy to one is reported with the other, rarely. Khan et al., "Drug allergy: a 2022
 * practice parameter update", J Allergy Clin Immunol 2022;150:1333-1393: penicillins with cephalosporins about 2 %, with
 * carbapenems below 1 %. Sulfonamide antibiotics are not listed with other sulfonamides (furosemide, celecoxib): Strom et
 * al., N Engl J Med 2003;349:1628-1635, found no cross-reactivity. For NSAIDs see Kowalski et al., Allergy 2013;68:1219-1232.
 */
const RELATED: readonly (readonly [DrugClass, DrugClass])[] = [
  ['penicillins', 'cephalosporins'],
  ['penicillins', 'carbapenems'],
  ['cephalosporins', 'carbapenems'],
]

export const isRelated = (a: DrugClass, b: DrugClass) =>
  RELATED.some(([x, y]) => (x === a && y === b) || (x === b && y === a))
