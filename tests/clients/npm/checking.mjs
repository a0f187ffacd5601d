// Runs the checks of one client and prints which hold.
export const base = process.argv[2];
export const QUESTION = "What is the toll for cars on the Skerry Bridge?";
export const ANSWER = "4.50 crowns";

export function holds(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}

export async function run(checks) {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`holds: ${name}`);
    } catch (error) {
      console.log(`fails: ${name}`);
      console.log(error);
    }
  }
}
