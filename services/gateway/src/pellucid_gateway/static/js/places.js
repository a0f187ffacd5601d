// Where citations stand in the text of an answer.

// Closing marks that a chip stands behind, although the claim ends before them.
const CLOSING = /^(?:[”"»』」’)\].,;!?…。，！？]|[\u00a0\u202f ](?=»))+/u;
// The German closing mark opens in other languages: it closes where „ was opened before it.
const CLOSING_LOW = /^[“”"’)\].,;!?…。，！？]+/u;

/** Converts code point offsets (the wire's) into UTF-16 offsets (the browser's). */
export function utf16Offset(text, codePoints) {
  let offset = 0;
  for (let left = codePoints; left > 0 && offset < text.length; left -= 1) {
    offset += text.codePointAt(offset) > 0xffff ? 2 : 1;
  }
  return offset;
}

/** Where the chip of a claim that ends at `end` stands; known once the text behind the claim has come. */
export function chipPlace(text, end) {
  const low = text.lastIndexOf("„", end) > text.lastIndexOf("“", end - 1);
  const closing = (low ? CLOSING_LOW : CLOSING).exec(text.slice(end, end + 8));
  return end + (closing ? closing[0].length : 0);
}
